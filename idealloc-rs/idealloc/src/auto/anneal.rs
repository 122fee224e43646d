//! Simulated annealing of the order in which first fit places few buffers with mixed alignments.
//!
//! What alignment wastes depends on who lies below whom, to the byte, so that no rule sorts it well. A step swaps two buffers
//! of the order, or moves one, and is taken if the layout ends lower, or by chance if it is not much higher (Kirkpatrick,
//! Gelatt and Vecchi, Optimization by simulated annealing, Science 220, 1983). Offsets below the first change stay.

use crate::auto::search::{Search, peak_of};
use crate::control::Control;
use crate::place::instance::Instance;
use crate::random::Random;

/// Buffers up to which a step is cheap.
const MOST: usize = 256;

/// Buffers of a crowd that is planned by itself first, within few.
pub const CORE: usize = 128;

/// Buffers placed that count as one look of the placement engine.
const PLACED: u64 = 8;

/// Temperatures at the beginning and at the end, in parts of the largest alignment.
const WARM: f64 = 1.0;
const COLD: f64 = 1.0 / 64.0;

/// What the sum of all that ends above the target counts beside the peak.
const SUM: f64 = 0.1;

/// Positions that a short move goes at most.
const NEAR: u64 = 6;

/// Steps between two looks at temperature and control.
const WATCH: u64 = 64;

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
///
/// Complexity: a step is `O(n^2)` with a small constant.
fn anneal(
    instance: &Instance,
    offsets: &[u64],
    (target, work, seed): (u64, u64, u64),
    control: &Control,
) -> (Vec<u64>, u64) {
    let mut random = Random::new(seed);
    let coarsest = instance.alignments().into_iter().flatten().copied().max().unwrap_or(1) as f64;
    let mut tower = Tower::new(instance, offsets, target);
    let mut order: Vec<u32> = (0..instance.len() as u32).collect();
    order.retain(|&buffer| tower.moves(buffer as usize));
    order.sort_by_key(|&buffer| offsets[buffer as usize]);
    if order.is_empty() {
        return (offsets.to_vec(), 0);
    }
    let mut cost = tower.place(&order, 0, f64::INFINITY).unwrap_or(f64::INFINITY);
    tower.keep(&order);
    let mut best = (tower.peak(), tower.offsets.clone());
    let mut next = order.clone();
    let mut heat = WARM * coarsest;
    for step in 0_u64.. {
        let done = tower.placed / PLACED;
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
                tower.keep(&order);
                if tower.peak() < best.0 {
                    best = (tower.peak(), tower.offsets.clone());
                }
            }
            None => next[first..].copy_from_slice(&order[first..]),
        }
    }
    (best.1, tower.placed / PLACED)
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

/// A layout by address, and one that is tried instead.
struct Tower<'a> {
    instance: &'a Instance,
    target: u64,
    is_fixed: Vec<bool>,
    /// Who meets whom.
    meets: Vec<bool>,
    offsets: Vec<u64>,
    /// The layout: start, end, buffer, by start;
    layout: Vec<(u64, u64, u32)>,
    /// and the one that is tried.
    tried: Vec<(u64, u64, u32)>,
    /// Position of each buffer in the order of the layout; fixed buffers come first.
    position: Vec<usize>,
    /// Buffers placed.
    placed: u64,
}

impl<'a> Tower<'a> {
    fn new(instance: &'a Instance, offsets: &[u64], target: u64) -> Self {
        let (n, spans) = (instance.len(), instance.spans());
        let meets = |a: usize, b: usize| spans[a].overlaps(spans[b]) && instance.meet(a, b);
        let mut tower = Self {
            instance,
            target,
            is_fixed: vec![false; n],
            meets: (0..n * n).map(|at| meets(at / n, at % n)).collect(),
            offsets: offsets.to_vec(),
            layout: Vec::with_capacity(n),
            tried: Vec::with_capacity(n),
            position: vec![0; n],
            placed: 0,
        };
        for &(buffer, offset) in instance.fixed() {
            tower.is_fixed[buffer as usize] = true;
            tower.layout.push((offset, offset + instance.sizes()[buffer as usize], buffer));
        }
        tower.layout.sort_unstable();
        tower
    }

    /// True if it is not fixed, and takes room.
    fn moves(&self, buffer: usize) -> bool {
        let takes_room =
            self.instance.sizes()[buffer] > 0 && !self.instance.spans()[buffer].is_empty();
        takes_room && !self.is_fixed[buffer]
    }

    /// First fit of an order that is that of the layout before position `first`. What it costs, if that is less than `most`.
    fn place(&mut self, order: &[u32], first: usize, most: f64) -> Option<f64> {
        let n = self.instance.len();
        self.tried.clear();
        let stays = |&&(_, _, buffer): &&(u64, u64, u32)| {
            self.is_fixed[buffer as usize] || self.position[buffer as usize] < first
        };
        self.tried.extend(self.layout.iter().filter(stays));
        let (mut highest, mut sum) = (0, 0);
        let mut cost = 0.0;
        let mut count = |end: u64| {
            let above = end.saturating_sub(self.target);
            highest = above.max(highest);
            sum += above;
            cost = highest as f64 + SUM * sum as f64;
            cost <= most
        };
        if !self.tried.iter().all(|&(_, end, _)| count(end)) {
            return None;
        }
        for &buffer in &order[first..] {
            self.placed += 1;
            let size = self.instance.sizes()[buffer as usize];
            let aligner = self.instance.aligner(buffer as usize);
            let meets = &self.meets[buffer as usize * n..][..n];
            let mut offset = aligner.up(0);
            for &(start, end, other) in &self.tried {
                if !meets[other as usize] || end <= offset {
                    continue;
                }
                if start >= offset.saturating_add(size) {
                    break;
                }
                offset = aligner.up(end);
            }
            let end = offset.checked_add(size)?;
            if !count(end) {
                return None;
            }
            let at = self.tried.partition_point(|&(start, _, _)| start < offset);
            self.tried.insert(at, (offset, end, buffer));
        }
        Some(cost)
    }

    /// Takes what was tried.
    fn keep(&mut self, order: &[u32]) {
        std::mem::swap(&mut self.layout, &mut self.tried);
        for &(start, _, buffer) in &self.layout {
            self.offsets[buffer as usize] = start;
        }
        for (position, &buffer) in order.iter().enumerate() {
            self.position[buffer as usize] = position;
        }
    }

    fn peak(&self) -> u64 {
        self.layout.iter().map(|&(_, end, _)| end).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::anneal;
    use crate::auto::search::peak_of;
    use crate::check::check;
    use crate::control::Control;
    use crate::lifetime::Lifetime;
    use crate::place::instance::Instance;
    use crate::problem::Problem;
    use crate::random::Random;

    /// Lines and pages by turns, most of them alive all the time, at first stacked one upon the other.
    #[test]
    fn annealing_wastes_less_and_keeps_the_plan_valid_within_its_work() {
        let mut random = Random::new(5);
        let (mut sizes, mut lifetimes, mut alignments) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..40 {
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
        let problem = builder.build().expect("is well formed");
        let instance = Instance::new(&problem);
        let load = instance.section_loads().into_iter().max().unwrap_or(0);
        let (found, work) = anneal(&instance, &offsets, (load, 20_000, 1), &Control::default());
        assert!(check(&problem, &found, &[]).is_ok());
        assert!(work < 21_000, "{work}");
        let above = |offsets: &[u64]| peak_of(&instance, offsets) - load;
        assert!(4 * above(&found) < above(&offsets), "{} {}", above(&found), above(&offsets));
    }
}
