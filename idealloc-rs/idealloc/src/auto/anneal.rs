//! Simulated annealing of the order in which few buffers with mixed alignments stand upon each other.
//!
//! What alignment wastes depends on who lies below whom, to the byte, so that no rule sorts it well. A step swaps two buffers
//! of the order, or moves one, and is taken if the [layout](Tower) ends lower, or by chance if it is not much higher
//! (Kirkpatrick, Gelatt and Vecchi, Optimization by simulated annealing, Science 220, 1983).

use crate::auto::search::{Search, peak_of};
use crate::auto::tower::Tower;
use crate::control::Control;
use crate::place::instance::Instance;
use crate::random::Random;

/// Buffers up to which a step is cheap.
const MOST: usize = 256;

/// Buffers of a crowd that is planned by itself first, within few.
pub const CORE: usize = 128;

/// Sections looked at that count as one look of the placement engine.
const VISITED: u64 = 256;

/// Temperatures at the beginning and at the end, in parts of the largest alignment.
const WARM: f64 = 1.0;
const COLD: f64 = 1.0 / 64.0;

/// Positions that a short move goes at most.
const NEAR: u64 = 6;

/// Steps between two looks at temperature and control.
const WATCH: u64 = 256;

impl Search<'_> {
    /// Anneals the plan that is there, for at most so much work.
    pub fn anneal(&mut self, work: u64) {
        let work = self.left().min(work);
        let is_plain = self.instance.is_temporal() && self.instance.len() <= MOST;
        if self.is_done() || work == 0 || !is_plain {
            return;
        }
        let goal = (self.target, work, self.options.seed);
        let (offsets, done) = anneal(self.instance, &self.offsets, goal, self.control);
        self.work = self.work.saturating_add(done);
        let peak = peak_of(self.instance, &offsets);
        if peak < self.peak {
            self.accept(&offsets, peak);
        }
    }
}

/// The lowest layout that was found, and the work. `goal` is the peak to stop at, the work that may be done, and the seed.
/// What it begins with, where addresses might not fit 64 bits.
///
/// Complexity: a step is linear in the sections of the buffers after the first change, and mostly ends long before the last.
fn anneal(
    instance: &Instance,
    offsets: &[u64],
    (target, work, seed): (u64, u64, u64),
    control: &Control,
) -> (Vec<u64>, u64) {
    let Some(mut tower) = Tower::new(instance, offsets, target) else {
        return (offsets.to_vec(), 0);
    };
    let mut order = tower.order();
    if order.is_empty() {
        return (offsets.to_vec(), 0);
    }
    let mut random = Random::new(seed);
    let coarsest = instance.alignments().into_iter().flatten().copied().max().unwrap_or(1) as f64;
    let mut cost = tower.place(&order, 0, f64::INFINITY).unwrap_or(f64::INFINITY);
    tower.keep(&order, 0);
    let mut best = (peak_of(instance, &tower.offsets()), tower.offsets());
    let mut next = order.clone();
    let mut heat = WARM * coarsest;
    for step in 0_u64.. {
        let done = tower.visited() / VISITED;
        if step % WATCH == 0 {
            if done >= work || best.0 <= target || control.is_cancelled() {
                break;
            }
            heat = coarsest * WARM * (COLD / WARM).powf(done as f64 / work as f64);
        }
        let first = change(&mut next, &mut random);
        let luck = (random.below(1 << 32) + 1) as f64 / (1_u64 << 32) as f64;
        match tower.place(&next, first, cost - heat * luck.ln()) {
            Some(reached) => {
                cost = reached;
                order[first..].copy_from_slice(&next[first..]);
                tower.keep(&order, first);
                if tower.end() < best.0 {
                    best = (peak_of(instance, &tower.offsets()), tower.offsets());
                }
            }
            None => next[first..].copy_from_slice(&order[first..]),
        }
    }
    (best.1, tower.visited() / VISITED)
}

/// Swaps two, moves one anywhere or moves one nearby. Returns the first position that may have changed.
fn change(order: &mut [u32], random: &mut Random) -> usize {
    let n = order.len() as u64;
    let (kind, from) = (random.below(3), random.below(n) as usize);
    let to = match kind {
        2 => (from as u64 + random.below(2 * NEAR + 1)).saturating_sub(NEAR).min(n - 1),
        _ => random.below(n),
    } as usize;
    if kind == 0 {
        order.swap(from, to);
    } else if from < to {
        order[from..=to].rotate_left(1);
    } else {
        order[to..=from].rotate_right(1);
    }
    from.min(to)
}

#[cfg(test)]
mod tests {
    use super::anneal;
    use crate::auto::search::peak_of;
    use crate::check::check;
    use crate::control::{Control, Effort, Options};
    use crate::index::BufferIdx;
    use crate::lifetime::Lifetime;
    use crate::place::instance::Instance;
    use crate::planner::plan;
    use crate::problem::Problem;
    use crate::random::Random;

    /// Lines and pages by turns, most of them alive all the time, and all stacked one upon the other. One in `fixed` stays there.
    fn stacked(buffers: u64, fixed: u64) -> (Problem, Vec<u64>) {
        let mut random = Random::new(5);
        let (mut sizes, mut lifetimes, mut alignments) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..buffers {
            let start = random.below(3) as i64;
            sizes.push(1 + random.below(1 << 15));
            lifetimes.push(Lifetime::new(start, start + 4 + random.below(3) as i64));
            alignments.push(if at % 2 == 0 { 64 } else { 4096 });
        }
        let mut top = 0;
        let mut stack = |(&size, &alignment): (&u64, &u64)| {
            let offset = u64::next_multiple_of(top, alignment);
            top = offset + size;
            offset
        };
        let offsets: Vec<u64> = sizes.iter().zip(&alignments).map(&mut stack).collect();
        let mut builder = Problem::builder();
        builder.arrays(sizes, lifetimes, Some(alignments));
        for (at, &offset) in offsets.iter().enumerate().filter(|&(at, _)| at as u64 % fixed == 1) {
            builder.fix(BufferIdx::new(at as u32), offset);
        }
        (builder.build().expect("is well formed"), offsets)
    }

    #[test]
    fn annealing_wastes_less_and_keeps_the_plan_valid_within_its_work() {
        let (problem, offsets) = stacked(40, 100);
        let instance = Instance::new(&problem);
        let load = instance.section_loads().into_iter().max().unwrap_or(0);
        let (found, work) = anneal(&instance, &offsets, (load, 20_000, 1), &Control::default());
        assert!(check(&problem, &found, &[]).is_ok());
        assert!(work < 21_000, "{work}");
        let above = |offsets: &[u64]| peak_of(&instance, offsets) - load;
        assert!(4 * above(&found) < above(&offsets), "{} {}", above(&found), above(&offsets));
    }

    #[test]
    fn annealing_is_never_worse_than_what_it_begins_with_and_follows_its_seed() {
        for fixed in [2, 7, 100] {
            let (problem, offsets) = stacked(24, fixed);
            let instance = Instance::new(&problem);
            let load = instance.section_loads().into_iter().max().unwrap_or(0);
            let goal = |work, seed| (load, work, seed);
            let run = |offsets: &[u64], goal| anneal(&instance, offsets, goal, &Control::default());
            let mut plan = offsets;
            // So little work that hardly anything is tried, again and again from what is there.
            for seed in 0..20 {
                let (found, work) = run(&plan, goal(1, seed));
                assert!(work < 1_000 && check(&problem, &found, &[]).is_ok());
                assert!(peak_of(&instance, &found) <= peak_of(&instance, &plan));
                plan = found;
            }
            assert_eq!(run(&plan, goal(500, 3)), run(&plan, goal(500, 3)));
        }
    }

    #[test]
    fn any_number_of_threads_anneals_to_the_same_plan() {
        let (problem, _) = stacked(90, 100);
        let with = |threads| {
            let options = Options { threads, effort: Effort::Low, ..Options::default() };
            plan(&problem, "auto", &options, &Control::default()).expect("a plan").offsets
        };
        assert_eq!(with(1), with(3));
    }
}
