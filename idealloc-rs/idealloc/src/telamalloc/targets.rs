//! Where a major backtrack may go (section 6.2).

/// Collects the candidate targets, ascending: every decision in the conflict but the last, and for each range of levels
/// 0 to 4, 5 to 8, 9 to 16, 17 to 32, and so on, that has none of these, the deepest level of the path in it.
///
/// `conflict` holds the levels of the decisions in the conflict, ascending; `depth` is the level that failed. Complexity:
/// `O(conflict + log depth)`.
pub fn targets(conflict: &[u32], depth: u32, targets: &mut Vec<u32>) {
    targets.clear();
    let mut levels = conflict.iter().copied().take_while(|&level| level < depth).peekable();
    let (mut first, mut last) = (0, 4);
    while first < depth {
        let before = targets.len();
        while let Some(level) = levels.next_if(|&level| level <= last) {
            targets.push(level);
        }
        if targets.len() == before {
            targets.push(last.min(depth - 1));
        }
        (first, last) = (last + 1, last.saturating_mul(2));
    }
}

/// The target in the middle; of two the deeper one. `None` without targets.
#[must_use]
pub fn median(targets: &[u32]) -> Option<u32> {
    targets.get(targets.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::{median, targets};

    #[test]
    fn ranges_without_a_decision_of_the_conflict_give_their_deepest_level() {
        let of = |conflict: &[u32], depth| {
            let mut found = Vec::new();
            targets(conflict, depth, &mut found);
            found
        };
        assert_eq!(of(&[2, 3, 20, 25], 25), [2, 3, 8, 16, 20]);
        assert_eq!(of(&[25], 25), [4, 8, 16, 24]);
        assert_eq!(of(&[], 3), [2]);
        assert_eq!(of(&[0], 0), [] as [u32; 0]);
        assert_eq!(median(&of(&[2, 3, 20, 25], 25)), Some(8));
        assert_eq!(median(&[]), None);
    }
}
