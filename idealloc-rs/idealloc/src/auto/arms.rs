//! The orders that the portfolio tries, most promising first.

use crate::place::order::{Key, Order, Tie};

/// Orders that are placed lowest first ("Tetris") where buffers are few: the best single pass on minimalloc's instances.
pub const LOWEST_FIRST: &[Order] =
    &[Order::by(Key::Area), Order { tie: Tie::Larger, ..Order::by(Key::Lifetime) }];

/// One pass of first fit each. What is live at the peak first wins on training and inference graphs of networks, size
/// classes win where lifetimes are mixed (`benchmarks/arms.py`).
pub const ARMS: &[Order] = &[
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
