//! First fit around what is placed, one window of time after another.
//!
//! Most of very many buffers live shortly. An index of all time does not fit the caches of a processor; one of a
//! window does. What crosses from one window into the next is placed first, the windows then know nothing of each other.

use crate::control::Control;
use crate::parallel::map;
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::{Instance, Span};
use crate::problem::MAX_BYTES;

/// Sections of a window: a power of two, so that what is live all through one is a single entry of its index.
const SECTIONS: u32 = 2048;

/// Places the buffers of `order` around `placed`, each at its lowest place: those that cross windows first, then those of
/// each window, each in the order given.
///
/// Returns all offsets and the peak in bytes; `None` if the caller asked to stop or addresses run out. `instance` must be
/// [temporal](Instance::is_temporal), `placed` and `order` disjoint, and `placed` hold what is fixed. The same result for
/// any number of threads. Complexity: that of the engine for what crosses, `O(log^2 SECTIONS)` for each of the others, and
/// `O(placed log placed + what meets each window)`.
pub fn around(
    instance: &Instance,
    placed: &[(u32, u64)],
    order: &[u32],
    threads: usize,
    control: &Control,
) -> Option<(Vec<u64>, u64)> {
    let windows = instance.sections().div_ceil(SECTIONS as usize);
    let mut engine = Engine::new(instance);
    for &(buffer, offset) in placed {
        engine.place(buffer as usize, offset);
    }
    let mut inside: Vec<Vec<u32>> = vec![Vec::new(); windows];
    let mut crossing = Vec::new();
    for &buffer in order {
        match window_of(instance.spans()[buffer as usize]) {
            Some(window) if windows > 1 => inside[window].push(buffer),
            _ => crossing.push(buffer),
        }
    }
    let outcome = engine.extend(&crossing, Rule::FirstFit, MAX_BYTES, control);
    let Outcome::Placed(mut peak) = outcome else { return None };
    let mut offsets = engine.offsets().to_vec();
    drop(engine);

    let mut known = placed.to_vec();
    known.extend(crossing.iter().map(|&buffer| (buffer, offsets[buffer as usize])));
    known.sort_unstable_by_key(|&(buffer, offset)| (offset, buffer));
    let mut obstacles: Vec<Vec<(u32, u64)>> = vec![Vec::new(); windows];
    for &(buffer, offset) in &known {
        let span = instance.spans()[buffer as usize];
        if !span.is_empty() && instance.sizes()[buffer as usize] > 0 {
            let (first, last) = (span.start / SECTIONS, (span.end - 1) / SECTIONS);
            for window in &mut obstacles[first as usize..=last as usize] {
                window.push((buffer, offset));
            }
        }
    }
    let filled = map(threads, windows, |i| fill(instance, i as u32, &inside[i], &obstacles[i], control));
    for (found, buffers) in filled.into_iter().zip(&inside) {
        let (places, highest) = found?;
        peak = peak.max(highest);
        for (&buffer, place) in buffers.iter().zip(places) {
            offsets[buffer as usize] = place;
        }
    }
    Some((offsets, peak))
}

/// The only window that a life meets.
fn window_of(span: Span) -> Option<usize> {
    let window = span.start / SECTIONS;
    (!span.is_empty() && window == (span.end - 1) / SECTIONS).then_some(window as usize)
}

/// First fit of the buffers of one window: their offsets and the peak of all that meets it.
fn fill(
    instance: &Instance,
    window: u32,
    buffers: &[u32],
    obstacles: &[(u32, u64)],
    control: &Control,
) -> Option<(Vec<u64>, u64)> {
    let end = ((window + 1) * SECTIONS).min(instance.sections() as u32);
    let part = instance.window(Span { start: window * SECTIONS, end }, buffers, obstacles);
    let mut engine = Engine::new(&part);
    let order: Vec<u32> = (0..buffers.len() as u32).collect();
    match engine.extend(&order, Rule::FirstFit, MAX_BYTES, control) {
        Outcome::Placed(peak) => Some((engine.offsets()[..buffers.len()].to_vec(), peak)),
        _ => None,
    }
}
