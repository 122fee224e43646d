//! When to start over: Luby's sequence, which is within a constant of the best that can be done without knowing more.

/// The sequence 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman 1993); `i` counts from 1. `O(log i)`.
pub fn luby(mut i: u64) -> u64 {
    loop {
        let bits = 64 - i.leading_zeros();
        if i == u64::MAX >> (64 - bits) {
            return 1 << (bits - 1);
        }
        i -= (1 << (bits - 1)) - 1;
    }
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
