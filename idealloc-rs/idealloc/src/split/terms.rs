//! Loops and their coefficients in a sum. Nearly always there is one, which then needs no memory of its own: walks read
//! thousands of sums, and are as fast as they come from memory.

use std::ops::Deref;

/// A loop and its coefficient.
type Term = (usize, i64);

/// The terms of a sum: a slice of loops and coefficients.
#[derive(Clone, Debug)]
pub struct Terms(Store);

#[derive(Clone, Debug)]
enum Store {
    One([Term; 1]),
    Any(Vec<Term>),
}

impl Deref for Terms {
    type Target = [Term];

    fn deref(&self) -> &[Term] {
        match &self.0 {
            Store::One(one) => one,
            Store::Any(any) => any,
        }
    }
}

impl PartialEq for Terms {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Terms {}

impl From<Vec<Term>> for Terms {
    fn from(terms: Vec<Term>) -> Self {
        match terms[..] {
            [one] => Self(Store::One([one])),
            _ => Self(Store::Any(terms)),
        }
    }
}

impl FromIterator<Term> for Terms {
    fn from_iter<I: IntoIterator<Item = Term>>(terms: I) -> Self {
        terms.into_iter().collect::<Vec<Term>>().into()
    }
}

impl<'a> IntoIterator for &'a Terms {
    type Item = &'a Term;
    type IntoIter = std::slice::Iter<'a, Term>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
