//! The one way into long-running Rust code: GIL released, signals polled, progress handed out.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use idealloc::Control;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often signals and progress are looked at.
const POLL: Duration = Duration::from_millis(20);

/// Runs `work` on a thread of its own without the GIL.
///
/// Ctrl-C and an exception out of `progress(incumbent, bound, work)` cancel the work and are raised after it stopped.
pub fn enter<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Control) -> T + Send,
) -> PyResult<T> {
    let control = Control::default();
    let callback = progress.map(|p| p.clone().unbind());
    py.detach(|| {
        thread::scope(|scope| {
            let (done, result) = mpsc::sync_channel(1);
            let worker_control = &control;
            let worker =
                thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, move || {
                    let value = work(worker_control);
                    // The receiver lives until this value arrives.
                    let _ = done.send(value);
                });
            if let Err(error) = worker {
                return Err(PyRuntimeError::new_err(format!(
                    "no thread could be started: {error}"
                )));
            }
            let mut raised: Option<PyErr> = None;
            loop {
                match result.recv_timeout(POLL) {
                    Ok(value) => return raised.map_or(Ok(value), Err),
                    Err(mpsc::RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err("the planner ended without a result"));
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) if raised.is_some() => {}
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        let outcome = Python::attach(|py| {
                            py.check_signals()?;
                            if let Some(callback) = &callback {
                                let p = control.progress();
                                callback.call1(py, (p.incumbent, p.bound, p.work))?;
                            }
                            Ok::<(), PyErr>(())
                        });
                        if let Err(error) = outcome {
                            control.abandon();
                            raised = Some(error);
                        }
                    }
                }
            }
        })
    })
}
