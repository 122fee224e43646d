//! What is large first, tier by tier: what a tier adds goes around what is there, and ejection lowers the layout before the next
//! smaller tier comes.
//!
//! Where nothing has slack, sizes often differ a thousandfold. A few large buffers then fill most of the memory; what is small
//! finds room between them, as long as they leave no more holes than they must. Each layout is lowered while few buffers are in
//! it, when that is cheap. Plain first fit by size makes the holes of all tiers at once.
//!
//! Of very many buffers those that live long go with larger ones. What is thin and lives long finds no room once all that is
//! larger has made holes of its own, which begin and end with what lives shortly.

use std::cmp::Reverse;

use crate::auto::budget::MANY;
use crate::auto::ejection::{Next, Run};
use crate::auto::lower::{RUNS, lower};
use crate::auto::repair::Budget;
use crate::auto::search::peak_of;
use crate::control::Control;
use crate::place::around::{WINDOW, around};
use crate::place::instance::Instance;

/// The first tier takes more than such a part of the load,
const FIRST: u64 = 12;

/// and more than this one of `MANY` buffers: each tier costs a first fit of all before it.
const FIRST_OF_MANY: u64 = 8;

/// The last tier but one takes more than such a part; the last is all the rest.
const LAST: u64 = 1_500;

/// Sizes of a tier are at least so much of those of the one before where they are uneven,
pub const STEP: f64 = 0.87;

/// and where they are not.
pub const STEP_OF_EVEN: f64 = 0.8;

/// What takes more than such a part of the load is large.
const LARGE: u64 = 1_000;

/// True if at least half of the buffers are small: where sizes are more alike, fewer tiers are better.
#[must_use]
pub fn are_uneven(sizes: &[u64], load: u64) -> bool {
    2 * sizes.iter().filter(|&&size| size > load / LARGE).count() <= sizes.len()
}

/// A layout, and what it cost.
#[derive(Clone, Debug)]
pub struct Layers {
    /// Offsets in bytes, and the peak; `None` if the caller asked to stop.
    pub plan: Option<(Vec<u64>, u64)>,
    /// Buffers looked at.
    pub work: u64,
}

/// Places `instance`, which must be [temporal](Instance::is_temporal) with nothing fixed, down to a peak of `load` at best;
/// sizes of a tier are at least `step` times those of the one before. `pack` plans the first tier, of which it is given the
/// buffers. When time is up what is not placed goes around the rest.
///
/// The same for any number of threads. Complexity: a first fit of each tier with all before it, and ejection as far as
/// the budget goes, in equal shares of what is left of it.
pub fn tiers(
    instance: &Instance,
    (load, step): (u64, f64),
    pack: impl FnOnce(&[u32]) -> Option<Vec<u64>>,
    budget: Budget,
    control: &Control,
) -> Layers {
    let mut sizes = instance.sizes().to_vec();
    sizes.sort_unstable_by_key(|&size| Reverse(size));
    let ends = ends(&sizes, load, step);
    let ids = descending(instance);
    let mut layers = Layers { plan: None, work: 0 };
    let Some(mut offsets) = ends.first().and_then(|&first| pack(&ids[..first])) else {
        return layers;
    };
    // In the last tier of many ejection takes long and gains nothing.
    let lowered = ends.len() - usize::from(ids.len() >= MANY);
    let (mut part, mut left) = (0.8, budget.work);
    for (tier, &end) in ends.iter().enumerate() {
        if control.is_cancelled() {
            break;
        }
        let present = instance.subset(&ids[..end]);
        if offsets.len() < end {
            layers.work += 2 * end as u64;
            let Some(placed) = beside(&present, &offsets, budget.threads, control) else { break };
            offsets = placed;
        }
        if tier >= lowered {
            continue;
        }
        let seed = budget.seed ^ (RUNS * tier as u64);
        // The first tiers fit at once: what they leave is for later ones.
        let share = left / ((lowered - tier) as u64 * RUNS);
        let run = Run { limit: load, next: Next::Heaviest, work: share, seed };
        let done = lower(&present, &mut offsets, &mut part, run, control);
        left = left.saturating_sub(done);
        layers.work += done;
    }
    if offsets.len() < ids.len() {
        // Nobody wants it, or time is up: what is there is lost without the rest. Of many that takes too long.
        if !control.has_timed_out() || ids.len() > MANY {
            return layers;
        }
        let rest: Vec<u32> = (offsets.len() as u32..ids.len() as u32).collect();
        let all = instance.subset(&ids);
        let Some(placed) =
            control.overtime(|| place(&all, &offsets, &rest, budget.threads, control))
        else {
            return layers;
        };
        offsets = placed.0;
    }
    let mut all = vec![0; instance.len()];
    for (&id, &offset) in ids.iter().zip(&offsets) {
        all[id as usize] = offset;
    }
    let peak = peak_of(instance, &all);
    layers.plan = Some((all, peak));
    layers
}

/// All buffers by size, of `MANY` by size times the fourth root of life, descending.
fn descending(instance: &Instance) -> Vec<u32> {
    let mut ids: Vec<u32> = (0..instance.len() as u32).collect();
    let key = |id: u32| {
        let (size, life) = (instance.sizes()[id as usize], instance.spans()[id as usize].len());
        let root = if ids.len() < MANY { 1.0 } else { f64::from(life).sqrt().sqrt() };
        (size as f64 * root, (size, life))
    };
    let keys: Vec<(f64, (u64, u32))> = ids.iter().map(|&id| key(id)).collect();
    ids.sort_by(|&a, &b| {
        let (a, b) = (keys[a as usize], keys[b as usize]);
        b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1))
    });
    ids
}

/// Where each tier ends among descending sizes.
fn ends(sizes: &[u64], load: u64, step: f64) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut least = load / if sizes.len() < MANY { FIRST } else { FIRST_OF_MANY };
    while least > load / LAST {
        let end = sizes.partition_point(|&size| size > least);
        if end > ends.last().copied().unwrap_or(0) {
            ends.push(end);
        }
        least = (least as f64 * step) as u64;
    }
    if ends.last() != Some(&sizes.len()) {
        ends.push(sizes.len());
    }
    ends
}

/// Puts the buffers after the first `placed.len()` around these, in the better of two orders.
fn beside(
    instance: &Instance,
    placed: &[u64],
    threads: usize,
    control: &Control,
) -> Option<Vec<u64>> {
    let by_size: Vec<u32> = (placed.len() as u32..instance.len() as u32).collect();
    let area = |&id: &u32| {
        u128::from(instance.sizes()[id as usize]) * u128::from(instance.spans()[id as usize].len())
    };
    let mut by_area = by_size.clone();
    by_area.sort_by_key(|id| Reverse(area(id)));
    let first = place(instance, placed, &by_size, threads, control)?;
    let second = place(instance, placed, &by_area, threads, control)?;
    Some(if second.1 < first.1 { second.0 } else { first.0 })
}

/// First fit of `rest`, in that order, around the first buffers, which are placed: offsets and the peak.
fn place(
    instance: &Instance,
    placed: &[u64],
    rest: &[u32],
    threads: usize,
    control: &Control,
) -> Option<(Vec<u64>, u64)> {
    let placed: Vec<(u32, u64)> = (0..).zip(placed.iter().copied()).collect();
    around(instance, &placed, rest, WINDOW, threads, control)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{STEP, STEP_OF_EVEN, are_uneven, descending, ends, tiers};
    use crate::auto::budget::MANY;
    use crate::auto::repair::Budget;
    use crate::auto::search::peak_of;
    use crate::check::check;
    use crate::control::Control;
    use crate::place::instance::Instance;
    use crate::problem::Problem;
    use crate::random::Random;

    /// Sizes from 1 to 4096, each half as often as the half of it; about thirty alive at a moment.
    fn uneven(buffers: usize) -> Problem {
        let mut random = Random::new(1);
        let mut builder = Problem::builder();
        for _ in 0..buffers {
            let size = 1 + (random.next() >> 52 >> random.below(12));
            let start = random.below(buffers as u64) as i64;
            builder.buffer(size, start, start + 1 + random.below(60) as i64);
        }
        builder.build().expect("is well formed")
    }

    fn towering(instance: &Instance, large: &[u32]) -> Vec<u64> {
        let sizes = large.iter().map(|&id| instance.sizes()[id as usize]);
        sizes.scan(0, |top, size| Some(std::mem::replace(top, *top + size))).collect()
    }

    #[test]
    fn each_tier_adds_smaller_buffers_and_the_last_one_all() {
        // More than 83, 72, 62 and so on.
        let sizes = [900, 500, 90, 89, 80, 70, 1, 1];
        assert_eq!(ends(&sizes, 1_000, STEP), [4, 5, 6, 8]);
        // Where sizes are alike more than 83, 66, 52 and so on.
        assert_eq!(ends(&sizes, 1_000, STEP_OF_EVEN), [4, 6, 8]);
        // Of many more than 125, 108, 93, 80, 69 and so on.
        let mut many = vec![1; MANY];
        many[..6].copy_from_slice(&sizes[..6]);
        assert_eq!(ends(&many, 1_000, STEP)[..3], [2, 4, 6]);
        assert_eq!(ends(&[1, 1], 100_000, STEP), [2]);
        assert_eq!(ends(&[], 1_000, STEP), [0]);
        assert!(are_uneven(&[500, 1, 1], 1_000) && !are_uneven(&[500, 400, 1], 1_000));
    }

    #[test]
    fn of_many_what_lives_long_goes_with_larger_ones() {
        let first = |buffers: usize| {
            let mut builder = Problem::builder();
            builder.buffer(3, 0, 2);
            builder.buffer(2, 0, 200);
            (0..buffers as i64).for_each(|at| {
                builder.buffer(1, at % 200, at % 200 + 1);
            });
            let instance = Instance::new(&builder.build().expect("is well formed"));
            descending(&instance)[..2].to_vec()
        };
        assert_eq!((first(300), first(MANY)), (vec![0, 1], vec![1, 0]));
    }

    #[test]
    fn a_plan_is_valid_and_lower_than_what_it_began_with() {
        let problem = uneven(600);
        let instance = Instance::new(&problem);
        let load = instance.section_loads().into_iter().max().expect("there are sections");
        let budget = Budget { work: 200_000, threads: 1, seed: 3 };
        let mut tower = 0;
        let pack = |large: &[u32]| {
            let offsets = towering(&instance, large);
            tower = large
                .iter()
                .zip(&offsets)
                .map(|(&id, o)| o + instance.sizes()[id as usize])
                .max()?;
            Some(offsets)
        };
        let found = tiers(&instance, (load, STEP), pack, budget, &Control::default());
        let (offsets, peak) = found.plan.expect("nobody stops it");
        assert!(check(&problem, &offsets, &[]).is_ok());
        assert_eq!(peak, peak_of(&instance, &offsets));
        assert!(tower > 4 * load && 4 * peak < 5 * load, "{tower} {peak} {load}");
    }

    #[test]
    fn when_time_is_up_the_rest_is_placed_around_what_is_there() {
        let problem = uneven(300);
        let instance = Instance::new(&problem);
        let load = instance.section_loads().into_iter().max().expect("there are sections");
        let budget = Budget { work: 200_000, threads: 1, seed: 3 };
        let pack = |large: &[u32]| Some(towering(&instance, large));
        let late = Control::default();
        late.stop_after(Duration::ZERO);
        let (offsets, _) =
            tiers(&instance, (load, STEP), pack, budget, &late).plan.expect("is placed");
        assert!(check(&problem, &offsets, &[]).is_ok());
        let cancelled = Control::default();
        cancelled.cancel();
        assert!(tiers(&instance, (load, STEP), pack, budget, &cancelled).plan.is_none());
    }
}
