//! Independent tasks on threads; the result never depends on how many there are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What is dear to make and used by one task at a time, kept from task to task: engines, memory of searches.
#[derive(Debug)]
pub struct Spare<T>(Mutex<Vec<T>>);

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Spare<T> {
    /// One that nobody uses, if there is one.
    pub fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Gives one back.
    pub fn give(&self, item: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(item);
    }
}

/// Threads to use for an option where 0 means all there are.
#[must_use]
pub fn available(threads: usize) -> usize {
    if threads > 0 {
        return threads;
    }
    thread::available_parallelism().map_or(1, usize::from)
}

/// Results of `task(0)` .. `task(count - 1)` in this order, computed by up to `threads` threads.
pub fn map<T: Send>(threads: usize, count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_until(threads, count, |index| (task(index), false))
}

/// As [`map`], but ends with the first result, by index, whose task says stop.
pub fn map_until<T: Send>(
    threads: usize,
    count: usize,
    task: impl Fn(usize) -> (T, bool) + Sync,
) -> Vec<T> {
    let threads = available(threads).min(count);
    if threads <= 1 {
        let mut results = Vec::with_capacity(count);
        for index in 0..count {
            let (result, stop) = task(index);
            results.push(result);
            if stop {
                break;
            }
        }
        return results;
    }
    let next = AtomicUsize::new(0);
    // Nothing above the lowest index that said stop is needed.
    let last = AtomicUsize::new(count - 1);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(count));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index > last.load(Ordering::Relaxed) {
                        return;
                    }
                    let (result, stop) = task(index);
                    if stop {
                        last.fetch_min(index, Ordering::Relaxed);
                    }
                    // A poisoned lock means that another task panicked; the scope passes that on.
                    if let Ok(mut done) = done.lock() {
                        done.push((index, result));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|&(index, _)| index);
    done.truncate(last.into_inner() + 1);
    done.into_iter().map(|(_, result)| result).collect()
}
