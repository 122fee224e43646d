//! Variables of a packing, and their signs.
//!
//! Pair number `k` has three variables: `3k` that it overlaps, `3k + 1` that its first stay lies below the second,
//! `3k + 2` that the second lies below the first.

/// A variable, twice; plus one if negated.
pub(super) type Literal = u32;

/// A variable holds.
pub(super) const fn positive(variable: u32) -> Literal {
    2 * variable
}

/// The opposite.
pub(super) const fn not(literal: Literal) -> Literal {
    literal ^ 1
}

/// The variable as an array index.
pub(super) const fn variable(literal: Literal) -> usize {
    literal as usize / 2
}

/// Whether a literal says that one stay lies below another.
pub(super) const fn is_order(literal: Literal) -> bool {
    literal.is_multiple_of(2) && !(literal / 2).is_multiple_of(3)
}
