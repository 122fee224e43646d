//! The planner `auto`: what is cheap first, and no more than is needed.
//!
//! 1. Very many buffers in two [layers](layers), so that there is a plan at once.
//! 2. Buffers in [orders](arms) by first fit, one pass each, until one reaches the bound; of many buffers only one pass.
//! 3. Where nothing has slack, [gluing](perfect), then [tiers] of sizes, and no more.
//! 4. A short [repair](repair) of time windows around whatever ends above the bound. Where less than half of the buffers
//!    are hard to place, and always of many, these in [blends](blends) of orders. With time enough what then ends above
//!    the bound goes in for others, by [ejection].
//!    Where few moments are crowded, what is live at these comes before all else, [crowd by crowd](crowds).
//!    Where alignments differ, the [stacks](Search::stacks) of sections have raised the bound before, and ejection
//!    [lowers](lower) the plan that is there, after [annealing](anneal) of few.
//! 5. [Exact search](small) of the components that are small enough; of larger ones after the search of what is critical.
//! 6. [Tree search](crate::mcts) over orders, ties and [climbs](climb): of what is critical first, then, after blends and
//!    ejection, of all, unless the problem is very large.
//! 7. Repair until the work is used up.
//! 8. A pass of every [rule](rules) that the registry has.
//!
//! It stops as soon as the peak is the bound, or the capacity if only fitting is asked for.

mod aim;
mod anneal;
mod apart;
pub mod arms;
pub mod blends;
mod budget;
pub mod climb;
mod critical;
mod crowds;
pub mod ejection;
mod improve;
pub mod layers;
mod lower;
mod passes;
mod perfect;
pub mod portfolio;
pub mod repair;
mod rules;
mod search;
pub mod small;
mod stages;
mod tiers;
mod tower;

use crate::auto::anneal::CORE;
use crate::auto::budget::{MANY, SMALL, work_of};
use crate::auto::critical::REDUCTIONS;
use crate::auto::search::Search;
use crate::auto::stages::Stages;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::place::instance::Instance;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

/// The default planner.
pub const PLANNER: Planner = Planner {
    name: "auto",
    origin: "xdsl_memplan",
    summary: "heuristics, exact search, window repair and tree search, whichever is needed",
    features: Features { alignment: true, fixed: true, gaps: true, conflicts: true, pools: false },
    run,
};

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let work = work_of(options.effort, problem.len() as u64);
    solve(problem, options, Stages::of(options)?, work, control)
}

fn solve(
    problem: &Problem,
    options: &Options,
    stages: Stages,
    work: u64,
    control: &Control,
) -> Result<Placement, Error> {
    let instance = Instance::new(problem);
    let mut search = Search::new(problem, &instance, options, stages, work, control);
    search.alone();
    search.layers()?;
    search.passes()?;
    search.stacks();
    search.lowest_first();
    if search.perfect() {
        search.rules();
        return Ok(search.finish());
    }
    if instance.len() > MANY {
        search.blends(u64::MAX, instance.len());
        return Ok(search.finish());
    }
    let is_small = instance.len() <= SMALL;
    search.repair(8 * instance.len() as u64);
    if !is_small {
        // Where alignments are alike a crowd is solved soon or not at all.
        let share = if instance.has_mixed_alignments() { 7 } else { 1 };
        search.crowds(search.left() / 8 * share, SMALL);
    }
    if is_small && instance.has_mixed_alignments() {
        // Few are proved at once; of others ejection wastes less than exact search, which sees no waste before it is there.
        search.exact(search.left() / 8);
        search.crowds(search.left() / 4 * 3, CORE);
        search.anneal(search.left() / 4 * 3);
        search.lower(search.left() / 4);
    }
    match is_small {
        true => search.exact(search.left() / 4 * 3),
        false => search.blends(search.left() / 2, instance.len() / 2),
    }
    if !is_small && instance.has_mixed_alignments() {
        search.lower(search.left() / 2);
    }
    for (level, &reduction) in REDUCTIONS.iter().enumerate() {
        search.reduced(reduction, level as u64);
    }
    if !is_small {
        search.blends(search.left() / 2, instance.len());
        search.exact(search.left() / 4);
    }
    search.tree();
    search.repair(u64::MAX);
    search.rules();
    Ok(search.finish())
}
