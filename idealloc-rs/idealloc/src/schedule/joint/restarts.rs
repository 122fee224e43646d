//! When to start over: Luby's sequence, which is within a constant of the best that can be done without knowing more.

/// 1, 1, 2, 1, 1, 2, 4, ... from `i` = 1 on (Luby, Sinclair and Zuckerman 1993).
pub(super) fn luby(i: u64) -> u64 {
    let bits = u64::BITS - i.leading_zeros();
    if i == (1 << bits) - 1 { 1 << (bits - 1) } else { luby(i - (1 << (bits - 1)) + 1) }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn the_sequence_doubles_after_each_repetition() {
        let first: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
