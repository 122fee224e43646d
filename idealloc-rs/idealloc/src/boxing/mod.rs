//! The planner `idealloc`: boxing by critical points, unboxing, squeezing, many times over.
//!
//! Buchsbaum, Karloff, Kenyon, Reingold, Thorup: OPT versus LOAD in Dynamic Storage Allocation, STOC 2003 and SIAM
//! Journal on Computing 33(3), 2004, as idealloc uses it (Lamprakos et al., Futureproof Static Memory Planning, 2025;
//! CONVOLVE D5.5). Jobs of like size are packed into boxes of one height, boxes into larger boxes, until all have one
//! height and can be stacked by colouring an interval graph. Only the order of the resulting offsets is kept: first fit in
//! that order gives the plan ("squeeze"). All randomness is in the choice of critical points of Theorem 2, so one seed is
//! one plan. Here the restarts are a tree search over these choices; `restarts=independent` gives the original's.
//!
//! | file | what |
//! |---|---|
//! | [`lemma_1`] | jobs that share an instant, into boxes by strips |
//! | [`theorem_2`] | unit jobs into boxes, recursively between critical points |
//! | [`corollary_15`] | jobs of any size, class by class |
//! | [`rogue`] | Theorems 16 and 19: boxing the small until sizes are within a ratio |
//! | [`control`] | the constants, the search for epsilon, the dummy job |
//! | [`colouring`] | interval-graph colouring |
//! | [`unbox`] | from nested boxes to offsets |

mod boxed;
pub mod colouring;
pub mod control;
pub mod corollary_15;
pub mod game;
pub mod job;
pub mod lemma_1;
pub mod rogue;
pub mod theorem_2;
pub mod unbox;

mod planner;

pub use boxed::Boxed;
pub use planner::PLANNER;
