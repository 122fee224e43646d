//! Static memory planning: given buffers with sizes and lifetimes, at which offset does each one go so that no two
//! conflicting buffers share bytes and the whole takes as little memory as can be?
//!
//! Build a [`Problem`], run a planner by name with [`plan`], read the [`Plan`]: offsets, peak, and the best lower
//! bound that was proved. [`check()`] verifies any offsets without trusting who made them.
//!
//! ```
//! use idealloc::{Control, Options, Problem, StopReason, plan};
//!
//! let mut builder = Problem::builder();
//! builder.buffer(400, 0, 2); // bytes, first tick, one past the last tick
//! builder.buffer(600, 1, 4);
//! builder.buffer(400, 2, 5);
//! builder.memory(Some(1000), 0);
//! let problem = builder.build()?;
//! let plan = plan(&problem, "auto", &Options::default(), &Control::default())?;
//! assert_eq!((plan.peak, plan.stop), (1000, StopReason::Optimal));
//! # Ok::<(), idealloc::Error>(())
//! ```
//!
//! Everything here is deterministic: the same problem, options and seed give the same plan.

pub mod auto;
pub mod baselines;
pub mod bounds;
pub mod boxing;
pub mod check;
pub mod control;
pub mod csv;
pub mod error;
pub mod exact;
pub mod generate;
pub mod glue;
pub mod index;
pub mod lifetime;
pub mod load;
mod luby;
pub mod mcts;
pub mod minimalloc;
pub mod parallel;
pub mod place;
pub mod plan;
pub mod planner;
pub mod preprocess;
pub mod problem;
mod radix;
pub mod random;
mod rank_set;
pub mod schedule;
pub mod split;
pub mod telamalloc;

pub use check::check;
pub use control::{Control, Effort, Options, Progress};
pub use error::Error;
pub use index::BufferIdx;
pub use lifetime::Lifetime;
pub use load::load;
pub use plan::{Plan, StopReason};
pub use planner::{Features, Placement, Planner, plan, planners};
pub use problem::{Conflicts, Pool, Problem, ProblemBuilder};
