//! Jobs: buffers, and boxes of jobs, which are packed like buffers again.

use std::sync::Arc;

/// What a job holds.
#[derive(Clone, Debug)]
pub enum Content {
    /// The buffer at this position.
    Buffer(u32),
    /// The dummy of [`control`](super::control): takes part, is dropped in the end.
    Dummy,
    /// Other jobs, each within the lifetime of the box.
    Box(Arc<[Job]>),
}

/// A rectangle to be placed: `[birth, death)` in sections, `size` in bytes.
#[derive(Clone, Debug)]
pub struct Job {
    /// First section.
    pub birth: u32,
    /// One past the last section.
    pub death: u32,
    /// Height in bytes.
    pub size: u64,
    /// What is inside.
    pub content: Content,
}

impl Job {
    /// A box of this height around jobs, at least one.
    pub fn around(jobs: Vec<Self>, size: u64) -> Self {
        Self {
            birth: jobs.iter().map(|job| job.birth).min().unwrap_or(0),
            death: jobs.iter().map(|job| job.death).max().unwrap_or(0),
            size,
            content: Content::Box(jobs.into()),
        }
    }

    /// True if the job is live in a section.
    pub const fn is_live(&self, section: u32) -> bool {
        self.birth <= section && section < self.death
    }
}

/// Least and greatest size; `None` of no jobs.
pub fn size_range(jobs: &[Job]) -> Option<(u64, u64)> {
    let least = jobs.iter().map(|job| job.size).min()?;
    let most = jobs.iter().map(|job| job.size).max()?;
    Some((least, most))
}
