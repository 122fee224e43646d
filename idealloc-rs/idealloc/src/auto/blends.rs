//! Many orders of what is hard to place, then the best of them again and again with its offenders raised.
//!
//! Where lifetimes are mixed, buffers that are neither long-lived nor large find a place wherever they are put last. The
//! others are placed without them: first in [blends](Blend) drawn at random, then in the best of these with a random
//! part of what ends above the target moved up by a random step ("squeaky wheel": Joslin and Clements, JAIR 10, 1999).
//!
//! Half of the blends put what is live at the peak before all else, so that nothing is wasted there. Such layouts end higher
//! than others, but elsewhere, where there is room: few buffers end above the target, by little in sum, and
//! [ejection](crate::auto::ejection) fits these in. So with time for it layouts are compared by that sum, not by their peak.

use crate::auto::aim::Aim;
use crate::auto::climb::Layout;
use crate::auto::ejection::{Ejection, Run};
use crate::auto::repair::Budget;
use crate::control::Control;
use crate::parallel::{Spare, map};
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

/// With work for fewer passes than this there is no time for ejection: what would end above the lowest peak is cut short.
const FEW_PASSES: u64 = 16;

/// Above so many buffers runs of ejection are too short to end.
const LARGE_PART: usize = 60_000;

/// Passes of a search that is as long as any.
const LONG_SEARCH: u64 = 2000;

/// Buffers whose life is longer than this part of all sections are hard to place,
const LONG: u64 = 256;
/// and those that take more than this part of the load.
const LARGE: u64 = 1000;

/// What is hard to place among what meets a section with at least so many thousandths of the load and is not smaller than
/// `least` bytes, and the rest. `O(n)`.
pub fn partition(instance: &Instance, load: u64, crowded: u32, least: u64) -> (Vec<u32>, Vec<u32>) {
    let sections = instance.sections() as u64;
    let hot = Orders::new(instance).meets_peak(crowded);
    (0..instance.len() as u32).partition(|&i| {
        let (span, size) = (instance.spans()[i as usize], instance.sizes()[i as usize]);
        let is_long = u64::from(span.len()) * LONG > sections && size >= least;
        hot[i as usize] && (is_long || size > load / LARGE)
    })
}

/// The best layout that was found.
#[derive(Debug)]
pub struct Found {
    /// Offsets in bytes, and the peak; `None` if none ends below the limit.
    pub plan: Option<(Vec<u64>, u64)>,
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

/// Searches for a layout that ends at or below `target`, or at least below `limit`.
///
/// Complexity: passes of the engine and runs of ejection until the budget is used up.
pub fn search(
    instance: &Instance,
    target: u64,
    limit: u64,
    budget: Budget,
    control: &Control,
) -> Found {
    let engines: Spare<Engine<'_>> = Spare::default();
    let few = budget.work < FEW_PASSES * instance.len() as u64 || instance.len() > LARGE_PART;
    let place = |candidate: &Candidate, most: u128, lowest: u64| {
        let mut engine = engines.take().unwrap_or_else(|| Engine::new(instance));
        let before = engine.work();
        let order = candidate.blend.sorted(&mut Orders::new(instance), &candidate.lifts);
        let layout = match few {
            true => Layout::place(&mut engine, instance, order, lowest, target, control),
            false => Layout::within(&mut engine, instance, order, target, most, control),
        };
        let work = engine.work() - before;
        engines.give(engine);
        (layout, work)
    };
    let ejection = (!few).then(|| Ejection::new(instance));
    let mut random = Random::stream(budget.seed, 0);
    let mut found = Found { plan: None, work: 0, tried: 0 };
    // Without a limit of work, shares are those of a long search.
    let whole = budget.work.min(LONG_SEARCH * instance.len() as u64);
    let mut aim = Aim::new(target, limit, whole);
    // Least excess: where to climb from.
    let mut best: Option<(Candidate, Layout)> = None;
    while aim.lowest > target && found.work < budget.work && !control.is_cancelled() {
        let draws = u128::from(found.work) * DRAWING.1 < u128::from(whole) * DRAWING.0;
        let round = if few && found.tried == 0 { 1 } else { ROUND };
        let candidates: Vec<Candidate> = (found.tried..found.tried + round)
            .map(|number| match &best {
                Some((candidate, layout)) if !draws => raised(candidate, layout, &mut random),
                _ => {
                    let first = Blend::FIRST.get(number as usize).copied();
                    let blend = first.unwrap_or_else(|| Blend::draw(&mut random));
                    // With time for ejection, every other.
                    let blend = match few || number % 2 == 0 {
                        true => blend,
                        false => blend.peak_first(&mut random),
                    };
                    Candidate { blend, lifts: vec![0; instance.len()] }
                }
            })
            .collect();
        let margin = if draws { 0 } else { aim.lowest / 1000 };
        let limit = aim.lowest.saturating_add(margin).min(MAX_BYTES);
        let most = best.as_ref().map_or(u128::MAX, |(_, least)| least.excess());
        let results = map(budget.threads, candidates.len(), |i| place(&candidates[i], most, limit));
        for (candidate, (layout, work)) in candidates.into_iter().zip(results) {
            found.work += work;
            found.tried += 1;
            control.add_work(work);
            let Some(layout) = layout else { continue };
            if layout.peak < aim.lowest {
                aim.lowest = layout.peak;
                found.plan = Some((layout.offsets.clone(), layout.peak));
            }
            if best.as_ref().is_none_or(|(_, least)| layout.excess() <= least.excess()) {
                best = Some((candidate, layout));
            }
        }
        let (Some(ejection), Some((_, layout))) = (&ejection, &best) else { continue };
        if found.work < aim.due {
            continue;
        }
        let lowest = found.plan.as_ref().map_or(&layout.offsets, |(offsets, _)| offsets);
        let (limits, starts) = (aim.limits(), [&layout.offsets, lowest]);
        let seeds = [random.next(), random.next()];
        let results = map(budget.threads, 2, |i| {
            let run = Run { limit: limits[i], next: aim.next(), work: aim.work, seed: seeds[i] };
            ejection.run(starts[i], run, control)
        });
        let mut reached = false;
        for (i, ejected) in results.into_iter().enumerate() {
            found.work += ejected.work;
            control.add_work(ejected.work);
            let Some((offsets, peak)) = ejected.plan else { continue };
            reached |= i == 1 && peak <= limits[i];
            if peak < aim.lowest {
                aim.lowest = peak;
                found.plan = Some((offsets, peak));
            }
        }
        aim.learn(reached, found.work);
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
