//! Work in two parts, at once if there are threads.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Does both parts. There are always two, so that the number of threads changes nothing but the time.
///
/// Many parts are short: a thread is woken for a part only if one has nothing to do, and a part that none has begun is
/// done by this one.
pub(super) fn both(threads: usize, one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    if threads > 1 {
        rayon::join(one, other);
    } else {
        one();
        other();
    }
}

/// Does work that calls `both`, whose parts then find threads waiting.
pub(super) fn with_threads<T: Send>(threads: usize, work: impl FnOnce(usize) -> T + Send) -> T {
    match pool(threads) {
        Some(pool) => pool.install(|| work(threads)),
        None => work(1),
    }
}

/// Threads for two parts; none if one is enough, or if there are no more.
fn pool(threads: usize) -> Option<ThreadPool> {
    if threads < 2 {
        return None;
    }
    ThreadPoolBuilder::new().num_threads(2).build().ok()
}
