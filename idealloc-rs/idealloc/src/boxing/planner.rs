//! The planner `idealloc`.

use super::boxed::Boxed;
use super::game::Boxing;
use crate::control::{Control, Effort, Options};
use crate::error::Error;
use crate::mcts::{Limits, Policy, search};
use crate::place::engine::{Engine, Outcome, Rule, out_of_addresses};
use crate::place::instance::Instance;
use crate::place::order::{Key, Order, Orders, Tie};
use crate::plan::StopReason;
use crate::planner::{Features, Placement, Planner};
use crate::problem::{MAX_BYTES, Problem};

/// Boxing with restarts.
pub const PLANNER: Planner = Planner {
    name: "idealloc",
    origin: "Buchsbaum et al. 2003; Lamprakos et al. 2025 (CONVOLVE D5.5)",
    summary: "boxing by random critical points, unboxing, squeezing; restarts led by tree search",
    features: Features { alignment: true, fixed: true, gaps: true, conflicts: true, pools: false },
    run,
};

/// Restarts ("lives") by effort.
const fn lives(effort: Effort) -> u64 {
    match effort {
        Effort::Low => 1,
        Effort::Medium => 100,
        Effort::High => 2000,
        Effort::Max => u64::MAX,
    }
}

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let (policy, lives) = parameters(options)?;
    let instance = Instance::new(problem);
    let mut orders = Orders::new(&instance);
    let load = orders.load();
    let order = Order { tie: Tie::Longer, ..Order::by(Key::Size) };
    let bootstrap = orders.sorted(order);
    let mut engine = Engine::new(&instance);
    let mut peak = match engine.run(&bootstrap, Rule::FirstFit, MAX_BYTES, control) {
        Outcome::Placed(peak) => peak,
        Outcome::Above(buffer) => return Err(out_of_addresses(buffer)),
        Outcome::Cancelled => return Err(Error::Cancelled),
    };
    let first = peak;
    let mut offsets = engine.offsets().to_vec();
    control.publish(peak, load);
    let target = match problem.capacity() {
        Some(capacity) if !options.minimize => capacity.max(load),
        _ => load,
    };
    let (mut plays, mut epsilon, mut boxed_peak) = (0, 0.0, first);
    if peak > target {
        let boxed = Boxed::new(&instance, options.seed, control);
        epsilon = boxed.epsilon();
        let game = Boxing::new(&instance, boxed, control);
        let limits = Limits {
            target,
            work: u64::MAX,
            plays: lives,
            threads: options.threads,
            seed: options.seed,
        };
        let found = search(&game, policy, u64::MAX, limits, control);
        plays = found.plays;
        if let Some(best) = found.best {
            boxed_peak = best.value;
            if boxed_peak < peak {
                peak = boxed_peak;
                offsets.clone_from(&best.state.offsets);
            }
        }
    }
    let stop = if peak <= target && peak > load {
        StopReason::Fits
    } else if peak <= load {
        StopReason::Optimal
    } else if control.is_cancelled() {
        StopReason::Cancelled
    } else {
        StopReason::WorkLimit
    };
    let statistics = vec![
        ("lives", plays),
        ("first-fit-peak", first),
        ("boxed-peak", boxed_peak),
        ("epsilon-thousandths", (epsilon * 1000.0) as u64),
    ];
    Ok(Placement { offsets, pools: Vec::new(), bound: load, stop, statistics })
}

/// `restarts` is `tree` or `independent`, `lives` a number.
fn parameters(options: &Options) -> Result<(Policy, u64), Error> {
    let (mut policy, mut count) = (Policy::Uct, lives(options.effort));
    for (name, value) in &options.parameters {
        match (name.as_str(), value.as_str()) {
            ("restarts", "tree") => policy = Policy::Uct,
            ("restarts", "independent") => policy = Policy::Restarts,
            ("lives", number) if number.parse::<u64>().is_ok() => {
                count = number.parse().unwrap_or(count);
            }
            _ => {
                return Err(Error::InvalidOption(format!(
                    "planner 'idealloc' has no parameter {name}={value}; known: restarts=tree, \
                     restarts=independent, lives=NUMBER"
                )));
            }
        }
    }
    Ok((policy, count))
}
