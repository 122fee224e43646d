//! The one way into long-running Rust code: GIL released, signals polled, progress handed out.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use idealloc::Control;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals and progress are looked at.
const POLL: Duration = Duration::from_millis(20);

/// How long cancelled work is waited for. After that it ends by itself, some time after the caller has gone on.
const PATIENCE: Duration = Duration::from_millis(50);

/// Runs `work` on a thread of its own without the GIL.
///
/// Ctrl-C and an exception out of `progress(incumbent, bound, work)` cancel the work and are raised within a tenth of a
/// second: what has not looked at its control by then is left alone, to stop at its next look.
pub fn enter<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Control) -> T + Send + 'static,
) -> PyResult<T> {
    let control = Arc::new(Control::default());
    let callback = progress.map(|p| p.clone().unbind());
    py.detach(|| {
        let (done, result) = mpsc::sync_channel(1);
        let of_worker = Arc::clone(&control);
        let worker = thread::Builder::new().stack_size(64 << 20).spawn(move || {
            // Nobody receives the value of work that was given up.
            let _ = done.send(work(&of_worker));
        });
        if let Err(error) = worker {
            return Err(PyRuntimeError::new_err(format!("no thread could be started: {error}")));
        }
        let mut raised: Option<(PyErr, Instant)> = None;
        loop {
            match result.recv_timeout(POLL) {
                Ok(value) => return raised.map_or(Ok(value), |(error, _)| Err(error)),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err("the planner ended without a result"));
                }
                Err(mpsc::RecvTimeoutError::Timeout) => match raised.take() {
                    Some((error, at)) if at.elapsed() >= PATIENCE => return Err(error),
                    Some(waiting) => raised = Some(waiting),
                    None => {
                        if let Err(error) = look(&control, callback.as_ref()) {
                            control.abandon();
                            raised = Some((error, Instant::now()));
                        }
                    }
                },
            }
        }
    })
}

/// Raises what signals and the callback raise.
fn look(control: &Control, callback: Option<&Py<PyAny>>) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        if let Some(callback) = callback {
            let p = control.progress();
            callback.call1(py, (p.incumbent, p.bound, p.work))?;
        }
        Ok(())
    })
}
