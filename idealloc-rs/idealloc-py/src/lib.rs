//! `xdsl_memplan._idealloc`: converts, releases the GIL, polls for signals, maps errors. Nothing else.

mod backtracks;
mod convert;
mod error;
mod gate;
mod planning;
mod scheduling;
mod split_graph;
mod splitting;

use pyo3::prelude::*;

/// Searches make and drop many small tables: with the allocator of the C library they take an eighth longer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
fn _idealloc(module: &Bound<'_, PyModule>) -> PyResult<()> {
    error::register(module)?;
    backtracks::register(module)?;
    planning::register(module)?;
    scheduling::register(module)?;
    splitting::register(module)?;
    Ok(())
}
