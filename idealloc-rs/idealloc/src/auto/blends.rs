//! Many orders of what is hard to place, then the best of them again and again with its offenders raised.
//!
//! Where lifetimes are mixed, buffers that are neither long-lived nor large find a place wherever they are put last. The
//! others are placed without them: first in [blends](Blend) drawn at random, then in the best of these with a random
//! part of what ends above the target moved up by a random step ("squeaky wheel": Joslin and Clements, JAIR 10, 1999).

use std::sync::Mutex;

use crate::auto::climb::Layout;
use crate::auto::repair::Budget;
use crate::control::Control;
use crate::parallel::map;
use crate::place::blend::Blend;
use crate::place::engine::Engine;
use crate::place::instance::Instance;
use crate::place::order::Orders;
use crate::problem::MAX_BYTES;
use crate::random::Random;

/// Candidates between two decisions, after the first one alone; the result does not depend on how many threads place them.
const ROUND: u64 = 4;

/// Share of the work that goes into drawing, the rest into raising.
const DRAWING: (u128, u128) = (3, 8);

/// Buffers whose life is longer than this part of all sections are hard to place,
const LONG: u64 = 256;
/// and those that take more than this part of the load.
const LARGE: u64 = 1000;

/// What is hard to place among what meets a section with at least so many thousandths of the load, and the rest. `O(n)`.
pub fn partition(instance: &Instance, load: u64, crowded: u32) -> (Vec<u32>, Vec<u32>) {
    let sections = instance.sections() as u64;
    let hot = Orders::new(instance).meets_peak(crowded);
    (0..instance.len() as u32).partition(|&i| {
        let (span, size) = (instance.spans()[i as usize], instance.sizes()[i as usize]);
        hot[i as usize] && (u64::from(span.len()) * LONG > sections || size > load / LARGE)
    })
}

/// The best order that was found.
#[derive(Debug)]
pub struct Found {
    /// Buffers in the order in which they are placed; `None` if none ends below the limit.
    pub order: Option<Vec<u32>>,
    /// Buffers looked at.
    pub work: u64,
    /// Orders tried.
    pub tried: u64,
}

#[derive(Clone)]
struct Candidate {
    blend: Blend,
    lifts: Vec<u32>,
}

/// Searches for an order whose first fit ends at or below `target`, or at least below `limit`.
///
/// Complexity: passes of the engine, most of them cut short, until the budget is used up.
pub fn search(
    instance: &Instance,
    target: u64,
    limit: u64,
    budget: Budget,
    control: &Control,
) -> Found {
    let engines: Mutex<Vec<Engine<'_>>> = Mutex::new(Vec::new());
    let place = |candidate: &Candidate, limit: u64| {
        let spare = engines.lock().ok().and_then(|mut engines| engines.pop());
        let mut engine = spare.unwrap_or_else(|| Engine::new(instance));
        let before = engine.work();
        let order = candidate.blend.sorted(&mut Orders::new(instance), &candidate.lifts);
        let layout = Layout::place(&mut engine, instance, order, limit, target, control);
        let work = engine.work() - before;
        if let Ok(mut engines) = engines.lock() {
            engines.push(engine);
        }
        (layout, work)
    };
    let mut random = Random::stream(budget.seed, 0);
    let mut found = Found { order: None, work: 0, tried: 0 };
    let mut lowest = limit;
    // Least excess: where to climb from. Its peak may lie a little above the lowest.
    let mut best: Option<(Candidate, Layout)> = None;
    while lowest > target && found.work < budget.work && !control.is_cancelled() {
        let draws = u128::from(found.work) * DRAWING.1 < u128::from(budget.work) * DRAWING.0;
        let round = if found.tried == 0 { 1 } else { ROUND };
        let candidates: Vec<Candidate> = (found.tried..found.tried + round)
            .map(|number| match &best {
                Some((candidate, layout)) if !draws => raised(candidate, layout, &mut random),
                _ => {
                    let first = Blend::FIRST.get(number as usize).copied();
                    let blend = first.unwrap_or_else(|| Blend::draw(&mut random));
                    Candidate { blend, lifts: vec![0; instance.len()] }
                }
            })
            .collect();
        let margin = if draws { 0 } else { lowest / 1000 };
        let limit = lowest.saturating_add(margin).min(MAX_BYTES);
        let results = map(budget.threads, candidates.len(), |i| place(&candidates[i], limit));
        for (candidate, (layout, work)) in candidates.into_iter().zip(results) {
            found.work += work;
            found.tried += 1;
            control.add_work(work);
            let Some(layout) = layout else { continue };
            if layout.peak < lowest {
                lowest = layout.peak;
                found.order = Some(layout.order.clone());
            }
            if best.as_ref().is_none_or(|(_, least)| layout.excess() <= least.excess()) {
                best = Some((candidate, layout));
            }
        }
    }
    found
}

/// The candidate with some of what ends above the target raised.
fn raised(candidate: &Candidate, layout: &Layout, random: &mut Random) -> Candidate {
    let mut next = candidate.clone();
    let one_in = [1, 3, 10, 50][random.below(4) as usize];
    let step = [128, 256, 512, 1024][random.below(4) as usize];
    let offenders = layout.offenders();
    let sure = random.below(offenders.len() as u64) as usize;
    for (i, &buffer) in offenders.iter().enumerate() {
        if i == sure || random.one_in(one_in) {
            next.lifts[buffer as usize] += step;
        }
    }
    next
}
