//! First fit around what is placed, one window of time after another.
//!
//! Of very many buffers most live shortly. An index of all time does not fit the caches of a processor, one of a window
//! does. What crosses from one window into the next is placed first; the windows then know nothing of each other.

use crate::control::Control;
use crate::parallel::map;
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::{Instance, Span};
use crate::problem::MAX_BYTES;

/// Sections of a window: a power of two, so that what is live all through one is a single entry of its index.
pub const WINDOW: u32 = 2048;

/// Places the buffers of `order` around `placed`, each at its lowest place: first those that cross windows of `window`
/// sections, then those of each window, both as ordered.
///
/// Returns all offsets and the peak in bytes; `None` if the caller asked to stop or addresses run out. `instance` must be
/// [temporal](Instance::is_temporal), and `placed` and `order` hold each buffer once; what is fixed stays where it is. The
/// same result for any number of threads. Complexity: that of the engine for `placed` and what crosses, `O(log^2 window)`
/// for each of the others, and linear in what meets each window.
pub fn around(
    instance: &Instance,
    placed: &[(u32, u64)],
    order: &[u32],
    window: u32,
    threads: usize,
    control: &Control,
) -> Option<(Vec<u64>, u64)> {
    let windows = instance.sections().div_ceil(window as usize);
    let mut inside: Vec<Vec<u32>> = vec![Vec::new(); windows];
    let mut crossing = Vec::new();
    let mut placed = placed.to_vec();
    for &buffer in order {
        let fixed = instance.fixed().binary_search_by_key(&buffer, |&(fixed, _)| fixed);
        if let Ok(at) = fixed {
            placed.push(instance.fixed()[at]);
            continue;
        }
        let span = instance.spans()[buffer as usize];
        let at = (span.start / window) as usize;
        if !span.is_empty() && at == ((span.end - 1) / window) as usize {
            inside[at].push(buffer);
        } else {
            crossing.push(buffer);
        }
    }
    let (mut obstacles, mut peak) = crossed(instance, &placed, &crossing, control)?;
    let mut offsets = vec![0; instance.len()];
    for &(buffer, offset) in &obstacles {
        offsets[buffer as usize] = offset;
    }
    // From low to high an index takes them fastest.
    obstacles.sort_unstable_by_key(|&(buffer, offset)| (offset, buffer));
    let mut met: Vec<Vec<(u32, u64)>> = vec![Vec::new(); windows];
    for &(buffer, offset) in &obstacles {
        let span = instance.spans()[buffer as usize];
        if !span.is_empty() && instance.sizes()[buffer as usize] > 0 {
            let (first, last) = (span.start / window, (span.end - 1) / window);
            for window in &mut met[first as usize..=last as usize] {
                window.push((buffer, offset));
            }
        }
    }
    let filled = map(threads, windows, |at| {
        let start = at as u32 * window;
        let end = start.saturating_add(window).min(instance.sections() as u32);
        let part = instance.window(Span { start, end }, &inside[at], &met[at]);
        let mut engine = Engine::new(&part);
        let highest = first_fit(&mut engine, inside[at].len(), control)?;
        Some((engine.offsets()[..inside[at].len()].to_vec(), highest))
    });
    for (found, buffers) in filled.into_iter().zip(&inside) {
        let (places, highest) = found?;
        peak = peak.max(highest);
        for (&buffer, place) in buffers.iter().zip(places) {
            offsets[buffer as usize] = place;
        }
    }
    Some((offsets, peak))
}

/// First fit of `crossing` around `placed`: all of them with their offsets, and the peak.
fn crossed(
    instance: &Instance,
    placed: &[(u32, u64)],
    crossing: &[u32],
    control: &Control,
) -> Option<(Vec<(u32, u64)>, u64)> {
    let members: Vec<u32> =
        crossing.iter().copied().chain(placed.iter().map(|&(buffer, _)| buffer)).collect();
    // Few buffers have few sections.
    let part = instance.subset(&members);
    let mut engine = Engine::new(&part);
    let mut known: Vec<(u32, u64)> =
        (crossing.len() as u32..).zip(placed.iter().map(|&(_, offset)| offset)).collect();
    known.sort_unstable_by_key(|&(at, offset)| (offset, at));
    for (at, offset) in known {
        engine.place(at as usize, offset);
    }
    let peak = first_fit(&mut engine, crossing.len(), control)?;
    Some((members.into_iter().zip(engine.offsets().iter().copied()).collect(), peak))
}

/// First fit of the first `count` buffers around what is placed; returns the peak of all.
fn first_fit(engine: &mut Engine<'_>, count: usize, control: &Control) -> Option<u64> {
    let order: Vec<u32> = (0..count as u32).collect();
    match engine.extend(&order, Rule::FirstFit, MAX_BYTES, control) {
        Outcome::Placed(peak) => Some(peak),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::around;
    use crate::check::check;
    use crate::control::Control;
    use crate::index::BufferIdx;
    use crate::lifetime::Lifetime;
    use crate::place::engine::{Engine, Outcome, Rule};
    use crate::place::instance::Instance;
    use crate::problem::{MAX_BYTES, Problem};

    /// Buffers as size, start, life and alignment.
    fn problem(buffers: &[(u64, i64, i64, u64)], fixed: Option<(usize, u64)>) -> Problem {
        let mut builder = Problem::builder();
        builder.arrays(
            buffers.iter().map(|buffer| buffer.0).collect(),
            buffers.iter().map(|&(_, start, life, _)| Lifetime::new(start, start + life)).collect(),
            Some(buffers.iter().map(|buffer| buffer.3).collect()),
        );
        if let Some((buffer, offset)) = fixed {
            builder.fix(BufferIdx::from(buffer), offset);
        }
        builder.build().expect("is well formed")
    }

    proptest! {
        #[test]
        fn is_a_plan_around_what_is_placed_for_any_window(
            buffers in prop::collection::vec((0_u64..50, 0_i64..60, 0_i64..20, 1_u64..5), 1..60),
            half in 0_usize..60,
            window in 1_u32..70,
            fixed in any::<prop::sample::Index>(),
        ) {
            let fixed = fixed.index(buffers.len());
            let problem = problem(&buffers, Some((fixed, 12 * buffers[fixed].3)));
            let instance = Instance::new(&problem);
            let is_first = |buffer: u32| (buffer as usize) < half && buffer as usize != fixed;
            let (first, rest): (Vec<u32>, Vec<u32>) =
                (0..buffers.len() as u32).partition(|&buffer| is_first(buffer));
            let mut engine = Engine::new(&instance);
            engine.run(&first, Rule::FirstFit, MAX_BYTES, &Control::default());
            let placed: Vec<(u32, u64)> =
                first.iter().map(|&buffer| (buffer, engine.offsets()[buffer as usize])).collect();
            let place = |threads| {
                around(&instance, &placed, &rest, window, threads, &Control::default())
                    .expect("there are addresses")
            };
            let (offsets, peak) = place(1);
            prop_assert_eq!(check(&problem, &offsets, &[]), Ok(peak));
            prop_assert!(placed.iter().all(|&(buffer, offset)| offsets[buffer as usize] == offset));
            prop_assert_eq!(place(3), (offsets.clone(), peak));
            // All in one window: nothing but first fit.
            if window as usize >= instance.sections() {
                let outcome = engine.extend(&rest, Rule::FirstFit, MAX_BYTES, &Control::default());
                prop_assert_eq!(outcome, Outcome::Placed(peak));
                prop_assert_eq!(engine.offsets(), offsets.as_slice());
            }
        }
    }

    #[test]
    fn stops_when_asked_to() {
        let problem = problem(&[(8, 0, 4, 1), (8, 1, 4, 1)], None);
        let control = Control::default();
        control.cancel();
        assert_eq!(around(&Instance::new(&problem), &[], &[0, 1], 2, 1, &control), None);
    }
}
