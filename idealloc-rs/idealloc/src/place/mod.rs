//! Placement: given an order of the buffers, where does each one go?
//!
//! [`Instance`](instance::Instance) is the problem with time cut into sections, [`Engine`](engine::Engine) places
//! buffers in an order, [`Orders`](order::Orders) makes the orders. No interference graph is ever built.
//! [`online()`](online::online) places in the order of time, which is worse and much faster.

pub mod around;
pub mod blend;
pub mod calendar;
pub mod chains;
pub mod engine;
pub mod free_blocks;
pub mod instance;
pub mod interval_set;
pub mod lowest_first;
pub mod occupancy;
pub mod one_pass;
pub mod online;
pub mod order;

pub use one_pass::PLANNERS;
