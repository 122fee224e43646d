//! A first plan for very many buffers: what matters by first fit, the rest above it in the order of time.

use crate::auto::arms::PASSES;
use crate::control::Control;
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::Instance;
use crate::place::online::online;
use crate::place::order::{Orders, log2_in_256ths};
use crate::problem::MAX_BYTES;

/// One in so many buffers is placed by first fit: those that take most bytes for most of the time.
const SHARE: usize = 64;

/// Offsets and peak in bytes; `None` if addresses run out or the caller asked to stop.
///
/// `instance` must be [temporal](Instance::is_temporal), without fixed buffers. Complexity: that of one pass over a 64th
/// of the buffers, and `O(n + sections)` for the rest.
pub fn layers(instance: &Instance, control: &Control) -> Option<(Vec<u64>, u64)> {
    let (heavy, rest) = heaviest(instance, instance.len() / SHARE);
    let part = instance.subset(&heavy);
    let order = Orders::new(&part).sorted(PASSES[0]);
    let mut engine = Engine::new(&part);
    let Outcome::Placed(base) = engine.run(&order, Rule::FirstFit, MAX_BYTES, control) else {
        return None;
    };
    let mut offsets = vec![0; instance.len()];
    for (&buffer, &offset) in heavy.iter().zip(engine.offsets()) {
        offsets[buffer as usize] = offset;
    }
    let peak = online(instance, &rest, base, &mut offsets, control)?;
    Some((offsets, peak))
}

/// The at most `most` buffers with the greatest products of size and lifetime, and the rest, both ascending.
///
/// Products count as equal if their logarithms are nearly so; equal ones stay together. `O(n)`.
fn heaviest(instance: &Instance, most: usize) -> (Vec<u32>, Vec<u32>) {
    let sections = instance.spans().iter().map(|span| u64::from(span.len()));
    let classes: Vec<u16> = instance
        .sizes()
        .iter()
        .zip(sections)
        .map(|(&size, length)| (log2_in_256ths(size) + log2_in_256ths(length)) as u16)
        .collect();
    let mut counts = vec![0_usize; 1 + usize::from(u16::MAX)];
    for &class in &classes {
        counts[usize::from(class)] += 1;
    }
    let mut sum = 0;
    let above = counts.iter().rposition(|count| {
        sum += count;
        sum > most
    });
    let is_heavy = |i: &u32| above.is_none_or(|class| usize::from(classes[*i as usize]) > class);
    (0..instance.len() as u32).partition(is_heavy)
}
