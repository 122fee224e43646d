//! Vela's hill climbing for Ethos-U.
//!
//! Source: Vela 5.2.0, `ethosu/vela/hillclimb_allocation.py`, Apache-2.0; identical to the installed one on A..K
//! (`tests/golden.rs`). Random numbers are those of CPython's `random.seed(1)`, in Vela's order.
//!
//! At first the order is by urgency (most bytes live during its life), longest, earliest, largest, position.
//! Buffers are placed in order, each at the lowest offset where it fits: from 0 upwards over whichever
//! conflicting buffer is in the way; the last of these is its predecessor.
//! Step: the bottleneck is the first buffer with the highest end. Candidates are the turns of it, of its
//! conflicts, and of all their chains of predecessors. One of them, in 30 % of cases one that does not conflict
//! with the bottleneck, changes places with another one; after 50 steps without gain a second, random swap over
//! more candidates follows. A layout is kept unless it is larger than the best. It ends at the load, or after 500
//! steps without gain, though not before 99999 steps while the limit is not met.
//!
//! Settings: `memory-limit` (bytes; default: the capacity, else none), `iterations` (default 99999). The seed of
//! the options is added to Vela's, 1.
//! Complexity: `O(n d r)` a step for `d` conflicts and `r` rescans.

use crate::baselines::adjacency::Adjacency;
use crate::baselines::fit::order_by_key;
use crate::baselines::layout::complete;
use crate::baselines::mersenne_twister::MersenneTwister;
use crate::baselines::rounding::Rounding;
use crate::baselines::settings::Settings;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::place::instance::{Instance, Span};
use crate::plan::StopReason;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;
use crate::radix::ascending;

/// Swaps below the bottleneck.
pub const PLANNER: Planner = Planner {
    name: "vela-hill-climb",
    origin: "Vela HillClimbAllocator",
    summary: "swaps of what led to the highest buffer, lowest fit (memory-limit sets the effort)",
    features: Features { alignment: true, fixed: false, gaps: true, conflicts: true, pools: false },
    run,
};

const STUCK: u64 = 50;
const LEAST_STEPS_SINCE_GAIN: u64 = 500;
const NOWHERE: u32 = u32::MAX;

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let mut settings = Settings::new(PLANNER.name, options);
    let limit = settings.number("memory-limit", problem.capacity().unwrap_or(u64::MAX))?;
    let most_steps = settings.number("iterations", 99_999)?;
    settings.finish()?;
    let mut climb = Climb::new(problem, options.seed.wrapping_add(1) as u32, control)?;
    let mut order = climb.by_urgency();
    let mut best_size = climb.place(&order, u64::MAX).ok_or(Error::Cancelled)?;
    let mut best = climb.offsets();
    let mut best_order = order.clone();
    let (mut step, mut gained) = (0_u64, 0_u64);
    let mut stop = StopReason::Complete;
    while best_size > climb.load
        && ((best_size > limit && step < most_steps) || step - gained < LEAST_STEPS_SINCE_GAIN)
    {
        if !climb.swap(&mut order, step - gained > STUCK) {
            break;
        }
        let Some(size) = climb.place(&order, best_size) else {
            stop = StopReason::Cancelled;
            break;
        };
        if size <= best_size {
            if size < best_size {
                gained = step;
            }
            best_size = size;
            best_order.clone_from(&order);
            best = climb.offsets();
            control.publish(best_size, climb.load);
        } else {
            order.clone_from(&best_order);
        }
        step += 1;
    }
    let mut placement = complete(problem, best)?;
    placement.stop = stop;
    placement.statistics = vec![("steps", step)];
    Ok(placement)
}

#[derive(Clone, Copy)]
struct Place {
    start: u64,
    end: u64,
    is_set: bool,
    predecessor: u32,
    turn: u32,
}

struct Climb<'p> {
    problem: &'p Problem,
    rounding: Rounding,
    /// Conflicts by the tick at which they meet the buffer first, then by position.
    neighbours: Vec<Vec<u32>>,
    urgency: Vec<u64>,
    load: u64,
    places: Vec<Place>,
    random: MersenneTwister,
    control: &'p Control,
}

/// Buffers placed between two looks at the control.
const WATCH: usize = 64;

impl<'p> Climb<'p> {
    fn new(problem: &'p Problem, seed: u32, control: &'p Control) -> Result<Self, Error> {
        let adjacency = Adjacency::of_problem(problem, control)?;
        let start = |i: usize| problem.lifetimes()[i].start;
        let mut neighbours = Vec::with_capacity(problem.len());
        for i in 0..problem.len() {
            if i.is_multiple_of(WATCH) && control.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let sized = adjacency.of(i).iter().filter(|j| problem.sizes()[j.get()] > 0);
            let mut list: Vec<u32> = sized.map(|j| j.get() as u32).collect();
            list.sort_by_key(|&j| start(j as usize).max(start(i)));
            neighbours.push(list);
        }
        let urgency = urgency(problem);
        Ok(Self {
            problem,
            rounding: Rounding::of(problem),
            neighbours,
            load: urgency.iter().copied().max().unwrap_or(0),
            urgency,
            places: vec![
                Place { start: 0, end: 0, is_set: false, predecessor: NOWHERE, turn: 0 };
                problem.len()
            ],
            random: MersenneTwister::new(seed),
            control,
        })
    }

    fn by_urgency(&self) -> Vec<u32> {
        let order = order_by_key(self.problem, |i| {
            let life = self.problem.lifetimes()[i];
            let length = life.end.abs_diff(life.start);
            [!self.urgency[i], !length, ascending(life.start), !self.problem.sizes()[i]]
        });
        let sized = order.into_iter().filter(|buffer| self.problem.sizes()[buffer.get()] > 0);
        sized.map(|buffer| buffer.get() as u32).collect()
    }

    fn offsets(&self) -> Vec<u64> {
        self.places.iter().map(|place| place.start).collect()
    }

    /// Places in order until that is done or larger than `most`; returns the size. `None` if the caller asked to stop.
    fn place(&mut self, order: &[u32], most: u64) -> Option<u64> {
        self.places.iter_mut().for_each(|place| place.is_set = false);
        let mut size = 0;
        for (turn, &i) in order.iter().enumerate() {
            if turn.is_multiple_of(WATCH) && self.control.is_cancelled() {
                return None;
            }
            self.place_one(i as usize, turn as u32);
            size = self.places[i as usize].end.max(size);
            if size > most {
                break;
            }
        }
        Some(size)
    }

    fn place_one(&mut self, i: usize, turn: u32) {
        let size = self.problem.sizes()[i];
        let alignment = self.problem.alignment(i.into());
        let mut start = self.rounding.up(0, alignment);
        let mut predecessor = NOWHERE;
        loop {
            let mut fits = true;
            for &j in &self.neighbours[i] {
                let other = &self.places[j as usize];
                if other.is_set && other.end > start && other.start < start.saturating_add(size) {
                    fits = false;
                    start = self.rounding.up(other.end, alignment);
                    predecessor = j;
                }
            }
            if fits || start == u64::MAX {
                break;
            }
        }
        let end = start.saturating_add(size);
        self.places[i] = Place { start, end, is_set: true, predecessor, turn };
    }

    /// Swaps turns below the bottleneck; false if there is nothing to swap.
    fn swap(&mut self, order: &mut [u32], is_stuck: bool) -> bool {
        let mut bottleneck = 0;
        for (i, place) in self.places.iter().enumerate() {
            if place.end > self.places[bottleneck].end {
                bottleneck = i;
            }
        }
        let mut turns = Turns::new(order.len());
        self.add_chain(&mut turns, bottleneck);
        for &j in &self.neighbours[bottleneck] {
            self.add_chain(&mut turns, j as usize);
        }
        if turns.list.len() < 2 {
            return false;
        }
        let mut is_near = vec![false; self.places.len()];
        is_near[bottleneck] = true;
        self.neighbours[bottleneck].iter().for_each(|&j| is_near[j as usize] = true);
        let is_neighbour = |turn: u32| is_near[order[turn as usize] as usize];
        let distant: Vec<u32> = turns.list.iter().copied().filter(|&t| !is_neighbour(t)).collect();
        let wants_distant = self.random.below(101) < 30;
        let from = if wants_distant && !distant.is_empty() { &distant } else { &turns.list };
        let first = from[self.random.below(from.len())];
        let mut second = turns.list[self.random.below(turns.list.len() - 1)];
        if first == second {
            second = turns.list[turns.list.len() - 1];
        }
        order.swap(first as usize, second as usize);
        if is_stuck {
            for &turn in &distant {
                for &j in &self.neighbours[order[turn as usize] as usize] {
                    turns.add(self.places[j as usize].turn);
                }
            }
            let first = turns.list[self.random.below(turns.list.len())];
            let second = turns.list[self.random.below(turns.list.len())];
            order.swap(first as usize, second as usize);
        }
        true
    }

    fn add_chain(&self, turns: &mut Turns, buffer: usize) {
        let mut i = buffer;
        loop {
            turns.add(self.places[i].turn);
            match self.places[i].predecessor {
                NOWHERE => break,
                before => i = before as usize,
            }
        }
    }
}

/// Turns without repetition, in the order in which they were found.
struct Turns {
    list: Vec<u32>,
    is_listed: Vec<bool>,
}

impl Turns {
    fn new(count: usize) -> Self {
        Self { list: Vec::new(), is_listed: vec![false; count] }
    }

    fn add(&mut self, turn: u32) {
        if !std::mem::replace(&mut self.is_listed[turn as usize], true) {
            self.list.push(turn);
        }
    }
}

/// For each buffer the most bytes live during its life; 0 where only pairs conflict.
///
/// Complexity: `O(n + total length of the lives in sections)`, which the conflict graph bounds.
fn urgency(problem: &Problem) -> Vec<u64> {
    let instance = Instance::new(problem);
    let loads = instance.section_loads();
    let most = |span: &Span| loads[span.start as usize..span.end as usize].iter().copied().max();
    (0..problem.len())
        .map(|i| instance.pieces(i).iter().filter_map(most).max().unwrap_or(0))
        .collect()
}
