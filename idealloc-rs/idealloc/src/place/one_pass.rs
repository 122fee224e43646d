//! Planners that place once, in one static order.

use crate::baselines::fit::{lowest, place_in_order, smallest_hole};
use crate::baselines::layout::complete;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::index::BufferIdx;
use crate::place::engine::{Engine, Outcome, Rule, out_of_addresses};
use crate::place::instance::Instance;
use crate::place::lowest_first;
use crate::place::order::{Key, Order, Orders, Tie};
use crate::plan::StopReason;
use crate::planner::{Features, Placement, Planner};
use crate::problem::{MAX_BYTES, Problem};
use crate::radix::{self, ascending};

/// First fit, best fit and lowest-first in the orders that people ask for by name.
pub const PLANNERS: &[Planner] = &[
    planner("first-fit-by-size", "largest first, each at its lowest place", |p, _, c| {
        once(p, c, By::Size, Pick::Static(Rule::FirstFit))
    }),
    planner("first-fit-by-area", "largest size times lifetime first, lowest place", |p, _, c| {
        once(p, c, By::Area, Pick::Static(Rule::FirstFit))
    }),
    planner("first-fit-by-lifetime", "longest lifetime first, lowest place", |p, _, c| {
        once(p, c, By::Lifetime, Pick::Static(Rule::FirstFit))
    }),
    planner("first-fit-by-contention", "most crowded moment first, lowest place", |p, _, c| {
        once(p, c, By::Contention, Pick::Static(Rule::FirstFit))
    }),
    planner("first-fit-peak-first", "what is live at the peak first, lowest place", |p, _, c| {
        once(p, c, By::PeakFirst, Pick::Static(Rule::FirstFit))
    }),
    planner("best-fit-by-size", "largest first, each in its smallest hole", |p, _, c| {
        once(p, c, By::Size, Pick::Static(Rule::BestFit))
    }),
    planner("best-fit-by-area", "largest size times lifetime first, smallest hole", |p, _, c| {
        once(p, c, By::Area, Pick::Static(Rule::BestFit))
    }),
    planner("best-fit-by-lifetime", "longest lifetime first, smallest hole", |p, _, c| {
        once(p, c, By::Lifetime, Pick::Static(Rule::BestFit))
    }),
    planner("tetris-by-size", "always what can go lowest next, ties by size", |p, _, c| {
        once(p, c, By::Size, Pick::LowestFirst)
    }),
    planner("tetris-by-area", "always what can go lowest next, ties by area", |p, _, c| {
        once(p, c, By::Area, Pick::LowestFirst)
    }),
    planner("tetris-by-lifetime", "always what can go lowest next, ties by lifetime", |p, _, c| {
        once(p, c, By::Lifetime, Pick::LowestFirst)
    }),
];

/// What comes first. Lifetimes are ticks as the problem has them, from start to end; of equals the one that starts first,
/// or, for orders by lifetime and contention, the larger one.
#[derive(Clone, Copy, Debug)]
enum By {
    /// Bytes.
    Size,
    /// Bytes times ticks.
    Area,
    /// Ticks.
    Lifetime,
    /// The most bytes live at a tick of its life.
    Contention,
    /// What is live at the peak, by lifetime in sections, then the rest by bytes.
    PeakFirst,
}

/// All buffers in an order. Complexity: `O(n log n)`.
fn sorted(problem: &Problem, instance: &Instance, by: By) -> Vec<u32> {
    let ticks = |i: usize| {
        let life = problem.lifetimes()[i];
        life.end.abs_diff(life.start)
    };
    let start = |i: usize| ascending(problem.lifetimes()[i].start);
    let sizes = problem.sizes();
    match by {
        By::Size => radix::order(problem.len(), |i| [!sizes[i], start(i)]),
        By::Area => radix::order(problem.len(), |i| {
            let area = u128::from(sizes[i]) * u128::from(ticks(i));
            [!((area >> 64) as u64), !(area as u64), start(i)]
        }),
        By::Lifetime => radix::order(problem.len(), |i| [!ticks(i), !sizes[i]]),
        By::Contention => {
            let order = Order { tie: Tie::Larger, ..Order::by(Key::Contention) };
            Orders::new(instance).sorted(order)
        }
        By::PeakFirst => {
            Orders::new(instance).sorted(Order::peak_first(999, Key::Lifetime, Tie::Start))
        }
    }
}

/// Which buffer is next.
#[derive(Clone, Copy, Debug)]
enum Pick {
    Static(Rule),
    LowestFirst,
}

type Run = fn(&Problem, &Options, &Control) -> Result<Placement, Error>;

const fn planner(name: &'static str, summary: &'static str, run: Run) -> Planner {
    let features =
        Features { alignment: true, fixed: true, gaps: true, conflicts: true, pools: false };
    Planner { name, origin: "folklore", summary, features, run }
}

fn once(problem: &Problem, control: &Control, by: By, pick: Pick) -> Result<Placement, Error> {
    let instance = Instance::new(problem);
    let sorted = sorted(problem, &instance, by);
    if let Pick::Static(rule) = pick {
        let order: Vec<BufferIdx> = sorted.into_iter().map(BufferIdx::new).collect();
        let offsets = match rule {
            Rule::FirstFit => place_in_order(problem, control, &order, lowest)?,
            Rule::BestFit => place_in_order(problem, control, &order, smallest_hole)?,
        };
        return complete(problem, offsets);
    }
    let (offsets, outcome) = if lowest_first::is_plain(&instance) {
        lowest_first::lowest_first(&instance, &sorted, control)
    } else {
        let mut engine = Engine::new(&instance);
        let outcome = engine.run_lowest_first(&sorted, MAX_BYTES, usize::MAX, control);
        (engine.offsets().to_vec(), outcome)
    };
    match outcome {
        Outcome::Placed(_) => {}
        Outcome::Above(buffer) => return Err(out_of_addresses(buffer)),
        Outcome::Cancelled => return Err(Error::Cancelled),
    }
    Ok(Placement {
        offsets,
        pools: Vec::new(),
        bound: 0,
        stop: StopReason::Complete,
        statistics: vec![("placed", problem.len() as u64)],
    })
}
