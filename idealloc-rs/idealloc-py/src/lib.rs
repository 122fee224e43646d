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

/// Searches make and drop many small tables: with the allocator of the C library they take an eighth longer. It asks for no
/// huge pages (`no_thp`): to clear these took a fifth of the search for groups in a fresh process. What jumps through tables
/// of a million buffers takes a tenth longer without them, as `first-fit-by-size` does; `auto` takes no longer.
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
