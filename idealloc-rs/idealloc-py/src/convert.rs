//! Python buffers of int64 to and from the core's types.

use idealloc::{BufferIdx, Conflicts, Lifetime, Pool, Problem};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{InvalidProblemError, to_python_naming};

/// One memory: name, capacity in bytes or `None`, base address.
pub type PoolTuple = (String, Option<u64>, u64);

/// Everything a problem is made of, as Python hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ProblemArrays<'py> {
    sizes: PyBuffer<i64>,
    starts: PyBuffer<i64>,
    ends: PyBuffer<i64>,
    alignments: Option<PyBuffer<i64>>,
    fixed: Vec<(u32, u64)>,
    gaps: Vec<(u32, i64, i64)>,
    conflict_relation: String,
    conflict_pairs: Option<PyBuffer<i64>>,
    pools: Vec<PoolTuple>,
    candidates: Vec<(u32, u32)>,
    /// `describe(position)`: how messages call a buffer.
    pub describe: Bound<'py, PyAny>,
}

impl ProblemArrays<'_> {
    /// Copies into a checked problem, so that the caller may change the arrays afterwards.
    pub fn to_problem(&self, py: Python<'_>) -> PyResult<Problem> {
        let sizes = self.unsigned(&self.sizes.to_vec(py)?, "size")?;
        let starts = self.starts.to_vec(py)?;
        let ends = self.ends.to_vec(py)?;
        if starts.len() != sizes.len() || ends.len() != sizes.len() {
            return Err(PyValueError::new_err("sizes, starts and ends differ in length"));
        }
        let lifetimes = starts.into_iter().zip(ends).map(|(s, e)| Lifetime::new(s, e)).collect();
        let alignments = match &self.alignments {
            Some(buffer) => Some(self.unsigned(&buffer.to_vec(py)?, "alignment")?),
            None => None,
        };
        let mut builder = Problem::builder();
        builder.arrays(sizes, lifetimes, alignments);
        builder.pools(
            self.pools
                .iter()
                .map(|(name, capacity, base_address)| Pool {
                    name: name.clone(),
                    capacity: *capacity,
                    base_address: *base_address,
                })
                .collect(),
        );
        for &(buffer, offset) in &self.fixed {
            builder.fix(BufferIdx::new(buffer), offset);
        }
        for &(buffer, start, end) in &self.gaps {
            builder.gap(BufferIdx::new(buffer), start, end);
        }
        for &(buffer, pool) in &self.candidates {
            builder.candidate(BufferIdx::new(buffer), pool);
        }
        builder.conflicts(self.conflicts(py)?);
        builder.build().map_err(|error| to_python_naming(&error, &self.describe))
    }

    fn unsigned(&self, values: &[i64], what: &str) -> PyResult<Vec<u64>> {
        if let Some(i) = values.iter().position(|&value| value < 0) {
            let error = idealloc::Error::buffer(i, format!("{what} {} is negative", values[i]));
            return Err(to_python_naming(&error, &self.describe));
        }
        Ok(values.iter().map(|&value| value.cast_unsigned()).collect())
    }

    fn conflicts(&self, py: Python<'_>) -> PyResult<Conflicts> {
        let flat = match &self.conflict_pairs {
            Some(buffer) => buffer.to_vec(py)?,
            None => Vec::new(),
        };
        if flat.len() % 2 != 0 {
            return Err(PyValueError::new_err("a conflict pair has one member"));
        }
        let pairs = flat
            .chunks_exact(2)
            .map(|pair| match (u32::try_from(pair[0]), u32::try_from(pair[1])) {
                (Ok(a), Ok(b)) => Ok((BufferIdx::new(a), BufferIdx::new(b))),
                _ => Err(InvalidProblemError::new_err("a conflict names no buffer")),
            })
            .collect::<PyResult<Vec<_>>>()?;
        match self.conflict_relation.as_str() {
            "lifetimes" if pairs.is_empty() => Ok(Conflicts::Lifetimes),
            "lifetimes" => Ok(Conflicts::LifetimesAnd(pairs)),
            "pairs" => Ok(Conflicts::Pairs(pairs)),
            other => Err(PyValueError::new_err(format!("unknown conflict relation '{other}'"))),
        }
    }
}

/// Writes offsets or pools into an array that the caller allocated.
pub fn write(
    py: Python<'_>,
    values: impl Iterator<Item = u64>,
    out: &PyBuffer<i64>,
) -> PyResult<()> {
    // The checker bounds every offset by 2^63 - 1.
    let signed: Vec<i64> = values.map(u64::cast_signed).collect();
    out.copy_from_slice(py, &signed)
}
