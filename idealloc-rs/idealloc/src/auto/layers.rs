//! A first plan for very many buffers: what matters by first fit, the rest above it in the order of time.

use std::cmp::Reverse;

use crate::auto::arms::ARMS;
use crate::control::Control;
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::Instance;
use crate::place::online::online;
use crate::place::order::Orders;
use crate::problem::MAX_BYTES;

/// One in so many buffers is placed by first fit: those that take most bytes for most of the time.
const SHARE: usize = 64;

/// Offsets and peak in bytes; `None` if addresses run out or the caller asked to stop.
///
/// `instance` must be [temporal](Instance::is_temporal), without fixed buffers. Complexity: that of one pass over a 64th
/// of the buffers, and `O(n + sections)` for the rest.
pub fn layers(instance: &Instance, control: &Control) -> Option<(Vec<u64>, u64)> {
    let mut buffers: Vec<u32> = (0..instance.len() as u32).collect();
    let area = |i: u32| {
        let (size, span) = (instance.sizes()[i as usize], instance.spans()[i as usize]);
        u128::from(size) * u128::from(span.len())
    };
    let heavy = instance.len() / SHARE;
    if heavy > 0 {
        buffers.select_nth_unstable_by_key(heavy, |&i| (Reverse(area(i)), i));
    }
    let (heavy, rest) = buffers.split_at_mut(heavy);
    heavy.sort_unstable();
    let part = instance.subset(heavy);
    let order = Orders::new(&part).sorted(ARMS[0]);
    let mut engine = Engine::new(&part);
    let Outcome::Placed(base) = engine.run(&order, Rule::FirstFit, MAX_BYTES, control) else {
        return None;
    };
    let mut offsets = vec![0; instance.len()];
    for (&buffer, &offset) in heavy.iter().zip(engine.offsets()) {
        offsets[buffer as usize] = offset;
    }
    rest.sort_unstable();
    let peak = online(instance, rest, base, &mut offsets, control)?;
    Some((offsets, peak))
}
