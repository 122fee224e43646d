//! One independent part of a problem, in small numbers.

use super::sections::Relation;
pub use super::sections::Run;
use super::trivial;
use super::unit::{Unit, gcd, pad};
use crate::index::BufferIdx;
use crate::problem::{MAX_BYTES, Problem};

/// Which positions one buffer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    /// A position `p` is aligned if `p + phase` is a multiple of `step`; 1 where the unit implies it.
    pub step: u64,
    /// See `step`; below `step`.
    pub phase: u64,
    /// The one position allowed, for a fixed buffer.
    pub fixed: Option<u64>,
}

impl Domain {
    /// The lowest aligned position at or above `position`; `u64::MAX` if there is none below it.
    #[must_use]
    pub const fn align(self, position: u64) -> u64 {
        if self.step == 1 {
            return position;
        }
        let Some(sum) = position.checked_add(self.phase) else { return u64::MAX };
        let rest = sum % self.step;
        if rest == 0 { position } else { position.saturating_add(self.step - rest) }
    }
}

/// Buffers that conflicts join, directly or through others. Heights and positions count units.
#[derive(Clone, Debug)]
pub struct Component {
    /// Which buffers of the problem, ascending.
    pub buffers: Vec<BufferIdx>,
    /// Height of each buffer in units: its size, padded to the common divisor of all alignments.
    pub heights: Vec<u64>,
    /// Size of each buffer in bytes.
    pub sizes: Vec<u64>,
    /// Positions each buffer may take.
    pub domains: Vec<Domain>,
    /// Number of sections; buffers conflict exactly if they share one.
    pub sections: usize,
    /// Lower bound of the peak in bytes: over sections, the sum of padded sizes without the largest padding.
    pub bound: u64,
    /// How positions become offsets.
    pub unit: Unit,
    run_starts: Vec<usize>,
    runs: Vec<Run>,
}

impl Component {
    /// Cuts the given buffers out of a problem and renumbers their sections.
    pub(super) fn new(
        problem: &Problem,
        relation: &Relation,
        (members, sections): (Vec<usize>, usize),
        names: &[u32],
        mut unit: Unit,
        fixed: &[Option<u64>],
    ) -> Self {
        let padded = |i: usize| pad(problem.sizes()[i], unit.common);
        let constrained =
            problem.alignments().is_some() || members.iter().any(|&i| fixed[i].is_some());
        if !constrained {
            // Sizes alone: a part may have a larger divisor than the whole.
            unit.bytes = members.iter().map(|&i| padded(i)).fold(0, gcd).max(1);
        }
        let start = problem.base_address().saturating_add(unit.origin);
        let domain = |i: usize| {
            let alignment = problem.alignment(BufferIdx::from(i));
            let fixed = fixed[i].map(|offset| unit.position(offset));
            if unit.bytes.is_multiple_of(alignment) && start.is_multiple_of(alignment) {
                Domain { step: 1, phase: 0, fixed }
            } else {
                Domain {
                    step: alignment / unit.bytes,
                    phase: start % alignment / unit.bytes,
                    fixed,
                }
            }
        };
        let mut run_starts = Vec::with_capacity(members.len() + 1);
        let mut runs = Vec::new();
        for &i in &members {
            run_starts.push(runs.len());
            runs.extend(relation.of(i).iter().map(|run| Run {
                first: names[run.first as usize],
                last: names[run.last as usize],
            }));
        }
        run_starts.push(runs.len());
        let mut component = Self {
            heights: members.iter().map(|&i| padded(i) / unit.bytes).collect(),
            sizes: members.iter().map(|&i| problem.sizes()[i]).collect(),
            domains: members.iter().map(|&i| domain(i)).collect(),
            buffers: members.into_iter().map(BufferIdx::from).collect(),
            sections,
            bound: 0,
            unit,
            run_starts,
            runs,
        };
        component.bound = crate::bounds::section_load(&component);
        component
    }

    /// Number of buffers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffers.len()
    }

    /// True if there is no buffer; never for a component made by [`prepare`](super::prepare).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffers.is_empty()
    }

    /// The sections of a buffer as ascending, disjoint runs.
    #[must_use]
    pub fn runs(&self, buffer: usize) -> &[Run] {
        &self.runs[self.run_starts[buffer]..self.run_starts[buffer + 1]]
    }

    /// Bytes by which a buffer's height exceeds its size.
    #[must_use]
    pub fn padding(&self, buffer: usize) -> u64 {
        (u128::from(self.heights[buffer]) * u128::from(self.unit.bytes)
            - u128::from(self.sizes[buffer])) as u64
    }

    /// Highest aligned position of a buffer below a capacity in bytes; `None` if it does not fit, or is fixed above it.
    #[must_use]
    pub fn last_position(&self, buffer: usize, capacity: u64) -> Option<u64> {
        let room = capacity.checked_sub(self.sizes[buffer])?.checked_sub(self.unit.origin)?;
        let (highest, domain) = (room / self.unit.bytes, self.domains[buffer]);
        if let Some(position) = domain.fixed {
            return (position <= highest).then_some(position);
        }
        (highest + 1).checked_sub((highest + domain.phase) % domain.step + 1)
    }

    /// Offsets in bytes of positions.
    #[must_use]
    pub fn offsets(&self, positions: &[u64]) -> Vec<u64> {
        positions.iter().map(|&position| self.unit.offset(position)).collect()
    }

    /// The peak in bytes of positions.
    #[must_use]
    pub fn peak(&self, positions: &[u64]) -> u64 {
        positions
            .iter()
            .zip(&self.sizes)
            .map(|(&p, &size)| self.unit.offset(p) + size)
            .max()
            .unwrap_or(0)
    }

    /// An optimal plan where one is known without search; see [`trivial`].
    #[must_use]
    pub fn trivial(&self) -> Option<Vec<u64>> {
        trivial::positions(self)
    }

    /// A capacity at which every stacking fits: no search needs more. At most `2^63 - 1`.
    #[must_use]
    pub fn roof(&self) -> u64 {
        let mut top = u128::from(self.unit.origin);
        for (i, domain) in self.domains.iter().enumerate() {
            let fixed = domain.fixed.map_or(0, |p| u128::from(self.unit.offset(p)));
            top += fixed.max(u128::from(self.heights[i]) * u128::from(self.unit.bytes));
            top += u128::from(domain.step - 1) * u128::from(self.unit.bytes);
            top += u128::from(self.sizes[i]);
        }
        u64::try_from(top).unwrap_or(u64::MAX).min(MAX_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::Domain;

    #[test]
    fn aligning_near_the_end_of_numbers_does_not_wrap() {
        let domain = Domain { step: 1 << 62, phase: (1 << 62) - 1, fixed: None };
        assert_eq!(domain.align(2), (1 << 62) + 1);
        assert_eq!(domain.align(u64::MAX - 1), u64::MAX);
        let domain = Domain { step: (1 << 63) - 1, phase: 0, fixed: None };
        assert_eq!(domain.align(1 << 63), u64::MAX - 1);
        assert_eq!(domain.align(u64::MAX), u64::MAX);
    }
}
