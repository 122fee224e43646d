//! Made-up problems for benchmarks and tests.

use crate::error::Error;
use crate::lifetime::Lifetime;
use crate::problem::Problem;
use crate::random::Random;

/// `n` buffers over `n` ticks: 75 % live 1 to 32 ticks, 22 % have a heavy-tailed life (Pareto with shape 1 from
/// 8 ticks up to a tenth of the horizon), 3 % a long one (a hundredth to a third of it). Sizes are spread evenly over the
/// powers of two from 1 KiB to 16 MiB, and evenly within each. Integer arithmetic only: the same bytes everywhere.
///
/// # Errors
/// [`Error::InvalidProblem`] if there are more than 2^32 - 1 buffers, or more than fit the machine.
pub fn mixed_lifetimes(n: usize, seed: u64) -> Result<Problem, Error> {
    if u32::try_from(n).is_err() {
        return Err(Error::problem("more than 2^32 - 1 buffers"));
    }
    let mut random = Random::new(seed);
    let horizon = (n as u64).max(1000);
    let mut sizes = Vec::new();
    let mut lifetimes = Vec::new();
    let room = sizes.try_reserve_exact(n).and_then(|()| lifetimes.try_reserve_exact(n));
    room.map_err(|_| Error::problem(format!("no memory for {n} buffers")))?;
    for _ in 0..n {
        let life = match random.below(100) {
            0..75 => 1 + random.below(32),
            75..97 => ((8 << 32) / (1 + random.below(1 << 32))).min(horizon / 10),
            _ => horizon / 100 + random.below(horizon / 3 - horizon / 100),
        };
        let start = random.below(horizon).cast_signed();
        lifetimes.push(Lifetime::new(start, start + life.cast_signed()));
        let octave = 10 + random.below(14);
        sizes.push((1 << octave) + random.below(1 << octave));
    }
    let mut builder = Problem::builder();
    builder.arrays(sizes, lifetimes, None);
    builder.build()
}
