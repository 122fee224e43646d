//! TVM's hill climbing of its unified static memory planner (USMP).
//!
//! Source: apache/tvm v0.19.0, `src/tir/usmp/algo/hill_climb.cc`, Apache-2.0; TVM RFC 0009. Removed from TVM in
//! v0.20.0. Random numbers are those of glibc's `rand_r`, in upstream's order.
//!
//! At first the order of `tvm-by-size`. An attempt places all buffers in order, each at the lowest offset where
//! it fits (ends rounded up to the alignment of the buffer below, and to its own). Its total is the sum of the
//! pools' peaks. It is kept if it is the first, or better, or, with a chance that shrinks with the attempts, if
//! it is worse: the kept one is then the worse one. Otherwise the last swap is undone. At the load it ends, else
//! after 500 attempts.
//! Swap: of the buffers at the top of a pool a random one; of its conflicts placed before it a random one; and,
//! in three of four cases, a random conflict of one of its conflicts, placed before that one, else again one of
//! its conflicts. The two change places in the order.
//!
//! Unlike here, upstream does not round to the alignment of the buffer itself, and gives a pool with a size up for a buffer
//! as soon as that would not fit above one of its conflicts there, even where it fits below.
//!
//! Complexity: `O(d log d)` per buffer and attempt for `d` conflicts. Settings: `attempts`. The seed of the
//! options is added to upstream's, 0.

use crate::baselines::adjacency::Adjacency;
use crate::baselines::layout::complete;
use crate::baselines::pools::{Candidates, fits};
use crate::baselines::rand_r::RandR;
use crate::baselines::rounding::Rounding;
use crate::baselines::settings::Settings;
use crate::baselines::tvm_greedy::by_size;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::index::BufferIdx;
use crate::load::load;
use crate::plan::StopReason;
use crate::planner::{Features, Placement, Planner};
use crate::problem::{Conflicts, Problem};

/// 500 attempts at a better order.
pub const PLANNER: Planner = Planner {
    name: "tvm-hill-climb",
    origin: "TVM USMP hill_climb",
    summary: "500 swaps in an order that starts with the largest, lowest fit",
    features: Features { alignment: true, fixed: false, gaps: true, conflicts: true, pools: true },
    run,
};

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let mut settings = Settings::new(PLANNER.name, options);
    let attempts = settings.number("attempts", 500)?;
    settings.finish()?;
    let mut climb = Climb::new(problem, options.seed as u32, control)?;
    let pressure = match problem.conflicts() {
        Conflicts::Pairs(_) => 0,
        _ => load(problem),
    };
    let mut best: Option<Attempt> = None;
    let mut last_swap: Option<(usize, usize)> = None;
    let mut stop = StopReason::Complete;
    let mut done = 0;
    for attempt in 0..attempts.max(1) {
        let Some(made) = climb.place() else {
            stop = StopReason::Cancelled;
            break;
        };
        done += 1;
        if climb.accepts(&made, best.as_ref(), attempt) {
            control.publish(made.total, pressure);
            let has_reached = made.fits && made.total <= pressure;
            best = Some(made);
            if has_reached {
                break;
            }
        } else if let Some((a, b)) = last_swap {
            climb.order.swap(a, b);
        }
        // Without a choice the swap before stays the one to undo, as upstream's `continue` leaves it.
        if let Some((a, b)) = best.as_ref().and_then(|kept| climb.choose_swap(kept)) {
            climb.order.swap(a, b);
            last_swap = Some((a, b));
        }
    }
    let Some(best) = best else { return Err(Error::Cancelled) };
    if !best.fits {
        return Err(Error::problem("no attempt fits all buffers into their pools"));
    }
    let mut placement = complete(problem, best.offsets)?;
    if problem.pools().len() > 1 {
        placement.pools = best.pools;
    }
    placement.stop = stop;
    placement.statistics = vec![("attempts", done)];
    Ok(placement)
}

/// One layout.
struct Attempt {
    offsets: Vec<u64>,
    pools: Vec<u32>,
    peaks: Vec<u64>,
    total: u64,
    fits: bool,
}

struct Climb<'p> {
    problem: &'p Problem,
    conflicts: Adjacency,
    candidates: Candidates,
    order: Vec<BufferIdx>,
    random: RandR,
    control: &'p Control,
}

/// Buffers placed between two looks at the control.
const WATCH: usize = 64;

impl<'p> Climb<'p> {
    fn new(problem: &'p Problem, seed: u32, control: &'p Control) -> Result<Self, Error> {
        let mut order = by_size(problem, control)?;
        order.retain(|buffer| problem.sizes()[buffer.get()] > 0);
        Ok(Self {
            problem,
            conflicts: Adjacency::of_problem(problem, control)?,
            candidates: Candidates::of(problem),
            order,
            random: RandR::new(seed),
            control,
        })
    }

    /// The layout of the order; `None` if the caller asked to stop.
    fn place(&self) -> Option<Attempt> {
        let n = self.problem.len();
        let mut made = Attempt {
            offsets: vec![0; n],
            pools: (0..n).map(|i| self.candidates.of_buffer(i)[0]).collect(),
            peaks: vec![0; self.problem.pools().len()],
            total: 0,
            fits: true,
        };
        let mut is_placed = vec![false; n];
        let mut below: Vec<(u64, BufferIdx)> = Vec::new();
        for (turn, &buffer) in self.order.iter().enumerate() {
            if turn.is_multiple_of(WATCH) && self.control.is_cancelled() {
                return None;
            }
            let i = buffer.get();
            below.clear();
            let placed = self.conflicts.of(i).iter().filter(|j| is_placed[j.get()]);
            below.extend(placed.map(|&j| (made.offsets[j.get()], j)));
            below.sort_unstable();
            let candidates = self.candidates.of_buffer(i);
            let size = self.problem.sizes()[i];
            let mut place =
                candidates.iter().map(|&pool| (self.lowest(&made, buffer, &below, pool), pool));
            let found =
                place.find(|&(offset, pool)| fits(self.problem, pool, offset.saturating_add(size)));
            let (offset, pool) = found.unwrap_or_else(|| {
                made.fits = false;
                let pool = candidates[candidates.len() - 1];
                (self.lowest(&made, buffer, &below, pool), pool)
            });
            made.offsets[i] = offset;
            made.pools[i] = pool;
            is_placed[i] = true;
            let peak = &mut made.peaks[pool as usize];
            *peak = offset.saturating_add(size).max(*peak);
        }
        made.total = made.peaks.iter().fold(0, |sum, &peak| sum.saturating_add(peak));
        Some(made)
    }

    fn lowest(
        &self,
        made: &Attempt,
        buffer: BufferIdx,
        below: &[(u64, BufferIdx)],
        pool: u32,
    ) -> u64 {
        let rounding = Rounding::at(self.problem.pools()[pool as usize].base_address);
        let (size, own) = (self.problem.sizes()[buffer.get()], self.problem.alignment(buffer));
        let mut lowest = rounding.up(0, own);
        for &(offset, j) in below.iter().filter(|(_, j)| made.pools[j.get()] == pool) {
            let end = offset.saturating_add(self.problem.sizes()[j.get()]);
            let next = rounding.up(rounding.up(end, self.problem.alignment(j)), own);
            if next > lowest && lowest.saturating_add(size) > offset {
                lowest = next;
            }
        }
        lowest
    }

    fn accepts(&mut self, made: &Attempt, best: Option<&Attempt>, attempt: u64) -> bool {
        // What does not fit is replaced by whatever comes next.
        let Some(best) = best.filter(|best| best.fits) else { return true };
        if !made.fits {
            return false;
        }
        if made.total < best.total {
            return true;
        }
        let percent = u128::from(made.total - best.total) * 50 / u128::from(made.total.max(1));
        (self.random.below(100) as u128) < percent / u128::from(attempt.max(1))
    }

    /// Two positions in the order to swap, or none if nothing lies below the top.
    fn choose_swap(&mut self, kept: &Attempt) -> Option<(usize, usize)> {
        let mut position = vec![usize::MAX; self.problem.len()];
        for (turn, buffer) in self.order.iter().enumerate() {
            position[buffer.get()] = turn;
        }
        let is_top = |buffer: &&BufferIdx| {
            let i = buffer.get();
            kept.offsets[i] + self.problem.sizes()[i] == kept.peaks[kept.pools[i] as usize]
        };
        let top: Vec<BufferIdx> = self.order.iter().filter(is_top).copied().collect();
        if top.is_empty() {
            return None;
        }
        let suspect = top[self.random.below(top.len())].get();
        let mut first = Vec::new();
        let mut second = Multiset::new(self.order.len());
        for neighbour in self.conflicts.of(suspect) {
            let at = position[neighbour.get()];
            if at == usize::MAX {
                continue;
            }
            if self.control.is_cancelled() {
                return None;
            }
            if at < position[suspect] {
                first.push(at);
            }
            let earlier = self.conflicts.of(neighbour.get()).iter().map(|j| position[j.get()]);
            earlier.filter(|&p| p < at).for_each(|p| second.add(p));
        }
        first.sort_unstable();
        if first.is_empty() {
            return None;
        }
        let second = second.sorted();
        let a = first[self.random.below(first.len())];
        if (first.len() > 1 || second.len() > 1)
            && first.iter().all(|&b| b == a)
            && second.is_only(a)
        {
            // Upstream would draw for ever.
            return None;
        }
        loop {
            let from_second = second.len() > 0 && self.random.below(100) > 25;
            let b = match from_second {
                true => second.get(self.random.below(second.len())),
                false => first[self.random.below(first.len())],
            };
            if b != a {
                return Some((a, b));
            }
            if first.len() < 2 && second.len() < 2 {
                return None;
            }
        }
    }
}

/// Positions with how often each was found: buffers have far more neighbours of neighbours than there are buffers.
struct Multiset(Vec<u32>);

impl Multiset {
    fn new(positions: usize) -> Self {
        Self(vec![0; positions])
    }

    fn add(&mut self, position: usize) {
        self.0[position] += 1;
    }

    fn sorted(self) -> Sorted {
        let mut ends = Vec::new();
        let mut count = 0;
        for (position, &times) in self.0.iter().enumerate().filter(|&(_, &times)| times > 0) {
            count += times as usize;
            ends.push((count, position));
        }
        Sorted(ends)
    }
}

/// Positions ascending, each as often as it was found: with how many there are up to its last one.
struct Sorted(Vec<(usize, usize)>);

impl Sorted {
    fn len(&self) -> usize {
        self.0.last().map_or(0, |&(end, _)| end)
    }

    fn get(&self, index: usize) -> usize {
        self.0[self.0.partition_point(|&(end, _)| end <= index)].1
    }

    fn is_only(&self, position: usize) -> bool {
        self.0.iter().all(|&(_, other)| other == position)
    }
}
