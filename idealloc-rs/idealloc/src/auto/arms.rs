//! The orders that are tried, most promising first, and the arms of tree search.

use crate::place::order::{Key, Order, Tie};

/// Orders that are placed lowest first ("Tetris") where buffers are few: the best single pass on minimalloc's instances.
pub const LOWEST_FIRST: &[Order] =
    &[Order::by(Key::Area), Order { tie: Tie::Larger, ..Order::by(Key::Lifetime) }];

/// One pass of first fit each. What is live at the peak first wins on training and inference graphs of networks, size
/// classes win where lifetimes are mixed (`benchmarks/arms.py`).
pub const PASSES: &[Order] = &[
    Order::by(Key::LongClass),
    Order::peak_first(999, Key::Lifetime, Tie::Start),
    Order::peak_first(999, Key::Lifetime, Tie::Larger),
    Order::peak_first(999, Key::Size, Tie::Longer),
    Order::by(Key::SizeClass),
    Order::by(Key::Area),
    Order::peak_first(990, Key::Lifetime, Tie::Start),
    Order::by(Key::Size),
    Order::peak_first(999, Key::SizeClass, Tie::Longer),
    Order::peak_first(990, Key::Size, Tie::Longer),
    Order::by(Key::LongArea),
    Order::by(Key::Contention),
    Order::peak_first(950, Key::Lifetime, Tie::Start),
    Order::peak_first(950, Key::Area, Tie::Start),
    Order::by(Key::Lifetime),
];

/// What is tried of many buffers besides blends: the peak first.
pub const OF_MANY: &[Order] = &[Order::peak_first(999, Key::Lifetime, Tie::Start)];

/// What is tried of many buffers whose lives are alike, as far as the work goes.
pub const OF_MANY_ALIKE: &[Order] = &[Order::by(Key::Size), Order::by(Key::Area)];

/// The arms of tree search: every order, less the one at `without`.
pub fn arms(without: Option<usize>) -> Vec<Order> {
    let kept = PASSES.iter().enumerate().filter(|&(position, _)| Some(position) != without);
    kept.map(|(_, &order)| order).collect()
}
