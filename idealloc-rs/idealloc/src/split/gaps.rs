//! Gaps between the rows of a tensor that lies in a larger one.

/// Dimensions, a bit each, that do not follow without a gap on one element of the dimension before: of a box of 4 by 6 inside
/// of 5 by 8 elements the second one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gaps(u64);

/// Dimensions of what a reshape shows, and those of its operand with the same elements.
type Groups = [(Vec<usize>, Vec<usize>)];

impl Gaps {
    /// What a part of a tensor has that has gaps itself; a part of another rank is taken to have them everywhere.
    pub fn of_part(self, whole: &[i64], part: &[i64]) -> Self {
        if whole.len() != part.len() {
            return Self(u64::MAX);
        }
        let smaller = (1..whole.len()).filter(|&d| part[d] != whole[d]);
        Self(smaller.fold(self.0, |gaps, d| gaps | bit(d)))
    }

    /// Those of the operand of a reshape, if what is shown, of this shape, has these; none where no operand lies so.
    pub fn before(self, groups: &Groups, shown: &[i64]) -> Option<Self> {
        let mut gaps = Self::default();
        for (dimensions, operand) in groups {
            let outer = dimensions.iter().take_while(|&&d| shown[d] == 1).count();
            let has_gap = |&d: &usize| self.0 & bit(d) != 0;
            if dimensions.iter().skip(outer + 1).any(has_gap) {
                return None;
            }
            if dimensions.iter().take(outer + 1).any(has_gap) {
                gaps.0 |= operand.first().map_or(0, |&d| bit(d));
            }
        }
        Some(gaps)
    }
}

/// Dimensions from the 64th on share a bit: gaps are never missed.
fn bit(dimension: usize) -> u64 {
    1 << dimension.min(63)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded() -> Gaps {
        Gaps::default().of_part(&[24, 16, 16], &[24, 14, 14])
    }

    #[test]
    fn the_rows_of_an_interior_are_not_merged() {
        assert_eq!(padded(), Gaps(0b110));
        assert_eq!(
            padded().before(&[(vec![0], vec![0]), (vec![1, 2], vec![1])], &[24, 14, 14]),
            None
        );
    }

    #[test]
    fn what_is_merged_stays_apart_from_what_lies_before() {
        let merged = vec![(vec![0], vec![0, 1]), (vec![1], vec![2]), (vec![2], vec![3])];
        assert_eq!(padded().before(&merged, &[24, 14, 14]), Some(Gaps(0b1100)));
    }

    #[test]
    fn a_part_of_the_outermost_dimension_has_no_gaps() {
        assert_eq!(Gaps::default().of_part(&[24, 16], &[8, 16]), Gaps::default());
    }

    #[test]
    fn dimensions_of_one_element_are_merged_with_any() {
        let part = Gaps::default().of_part(&[4, 2, 8], &[4, 1, 8]);
        assert_eq!(
            part.before(&[(vec![0], vec![0]), (vec![1, 2], vec![1])], &[4, 1, 8]),
            Some(Gaps(0b10))
        );
    }
}
