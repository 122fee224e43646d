//! Hill climbing over placement orders, driven by what ends too high ("squeaky wheel").
//!
//! Joslin and Clements: Squeaky Wheel Optimization, JAIR 10 (1999). A layout is the first fit of an order. A step moves
//! one buffer that ends above the target (now and then any other) to an earlier position and keeps the new order unless it
//! is worse. A pass stops at the first buffer that would end above the present peak, so bad steps are cheap.

use crate::control::Control;
use crate::place::engine::{Engine, Outcome, Rule};
use crate::place::instance::Instance;
use crate::problem::MAX_BYTES;
use crate::random::Random;

/// Buffers placed between two looks at what ends above the target.
const CHUNK: usize = 64;

/// An order with what first fit makes of it.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Buffers in the order in which they are placed.
    pub order: Vec<u32>,
    /// Offset of each buffer in bytes.
    pub offsets: Vec<u64>,
    /// Peak in bytes.
    pub peak: u64,
    /// Sum over all buffers of the bytes by which their ends exceed the target.
    excess: u128,
    /// Buffers that end above the target.
    offenders: Vec<u32>,
}

impl Layout {
    /// First fit of an order; `None` if it ends above `limit` or was cancelled.
    pub fn place(
        engine: &mut Engine<'_>,
        instance: &Instance,
        order: Vec<u32>,
        limit: u64,
        target: u64,
        control: &Control,
    ) -> Option<Self> {
        let Outcome::Placed(peak) = engine.run(&order, Rule::FirstFit, limit, control) else {
            return None;
        };
        Some(Self::of(engine, instance, order, peak, target))
    }

    /// First fit of an order; `None` if the sum over all buffers of what ends above the target exceeds `most`, or if it was
    /// cancelled.
    pub fn within(
        engine: &mut Engine<'_>,
        instance: &Instance,
        order: Vec<u32>,
        target: u64,
        most: u128,
        control: &Control,
    ) -> Option<Self> {
        engine.clear();
        let mut excess = 0;
        for part in order.chunks(CHUNK) {
            let Outcome::Placed(_) = engine.extend(part, Rule::FirstFit, MAX_BYTES, control) else {
                return None;
            };
            let above = |&buffer: &u32| {
                let size = instance.sizes()[buffer as usize];
                let end = engine.offsets()[buffer as usize] + size;
                if size > 0 { u128::from(end.saturating_sub(target)) } else { 0 }
            };
            excess += part.iter().map(above).sum::<u128>();
            if excess > most {
                return None;
            }
        }
        Some(Self::of(engine, instance, order, engine.peak(), target))
    }

    /// Buffers that end above the target, in the order in which they are placed.
    pub fn offenders(&self) -> &[u32] {
        &self.offenders
    }

    /// Sum over all buffers of the bytes by which their ends exceed the target.
    pub fn excess(&self) -> u128 {
        self.excess
    }

    /// Lower, or as high with less above the target.
    pub fn is_better_than(&self, other: &Self) -> bool {
        (self.peak, self.excess) < (other.peak, other.excess)
    }

    /// What the engine has placed in this order.
    fn of(
        engine: &Engine<'_>,
        instance: &Instance,
        order: Vec<u32>,
        peak: u64,
        target: u64,
    ) -> Self {
        let offsets = engine.offsets().to_vec();
        let mut offenders = Vec::new();
        let mut excess = 0;
        for &buffer in &order {
            let size = instance.sizes()[buffer as usize];
            let end = offsets[buffer as usize] + size;
            if size > 0 && end > target {
                excess += u128::from(end - target);
                offenders.push(buffer);
            }
        }
        Self { order, offsets, peak, excess, offenders }
    }
}

/// How far a step may go back by a short move.
const NEAR: u64 = 200;

/// Takes up to `steps` steps from a layout, in place; stops at the target. Returns the steps taken.
///
/// Complexity: `steps` passes of the engine, most of them cut short.
pub fn climb(
    engine: &mut Engine<'_>,
    instance: &Instance,
    layout: &mut Layout,
    target: u64,
    steps: u64,
    random: &mut Random,
    control: &Control,
) -> u64 {
    let mut changed = Vec::with_capacity(layout.order.len());
    for step in 0..steps {
        if layout.peak <= target || layout.offenders.is_empty() || control.is_cancelled() {
            return step;
        }
        changed.clone_from(&layout.order);
        for _ in 0..1 + random.below(2) {
            let buffer = if random.below(10) < 8 {
                layout.offenders[random.below(layout.offenders.len() as u64) as usize]
            } else {
                changed[random.below(changed.len() as u64) as usize]
            };
            let Some(from) = changed.iter().position(|&other| other == buffer) else { continue };
            let to = if random.one_in(2) {
                random.below(from as u64 + 1) as usize
            } else {
                from - random.below(NEAR.min(from as u64 + 1)) as usize
            };
            changed[to..=from].rotate_right(1);
        }
        let outcome = engine.run(&changed, Rule::FirstFit, layout.peak, control);
        if let Outcome::Placed(peak) = outcome {
            let order = std::mem::take(&mut changed);
            let next = Layout::of(engine, instance, order, peak, target);
            if (next.peak, next.excess) <= (layout.peak, layout.excess) {
                *layout = next;
            } else {
                changed = next.order;
            }
        }
    }
    steps
}
