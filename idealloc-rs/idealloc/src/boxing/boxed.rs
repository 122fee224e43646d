//! From choices of critical points to an order of placement.

use super::control::{last_boxing, with_dummy};
use super::corollary_15::corollary_15;
use super::job::{Content, Job};
use super::rogue::{best_epsilon, rogue};
use super::theorem_2::{Chooser, Draw};
use super::unbox::symbolic_offsets;
use crate::control::Control;
use crate::place::instance::Instance;

/// The jobs of one instance and its epsilon.
#[derive(Debug)]
pub struct Boxed {
    jobs: Vec<Job>,
    largest: u64,
    epsilon: f64,
    buffers: usize,
}

impl Boxed {
    /// Finds epsilon; the seed is that of the critical points it is tried with.
    pub fn new(instance: &Instance, seed: u64, control: &Control) -> Self {
        let jobs = jobs_of(instance);
        let buffers = instance.len();
        if jobs.is_empty() {
            return Self { jobs, largest: 1, epsilon: 0.0, buffers };
        }
        let jobs = with_dummy(jobs);
        let epsilon = best_epsilon(&jobs, seed, control);
        let largest = jobs.iter().map(|job| job.size).max().unwrap_or(1);
        Self { jobs, largest, epsilon, buffers }
    }

    /// The epsilon of Theorem 16.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// Boxes, unboxes, and returns the buffers by their symbolic offsets, with all draws of critical points.
    pub fn order(&self, seed: u64, redrawn: &[Draw]) -> (Vec<u32>, Vec<Draw>) {
        let mut order: Vec<u32> = (0..self.buffers as u32).collect();
        if self.jobs.is_empty() {
            return (order, Vec::new());
        }
        let mut chooser = Chooser::new(seed, redrawn);
        let jobs = rogue(self.jobs.clone(), self.epsilon, &mut chooser);
        let (size, mu) = last_boxing(&jobs, self.epsilon, self.largest);
        let boxes = corollary_15(jobs, size, mu, &mut chooser);
        let symbolic = symbolic_offsets(&boxes, self.buffers);
        order.sort_by_key(|&buffer| (symbolic[buffer as usize], buffer));
        (order, chooser.into_drawn())
    }
}

/// Buffers that meet somebody, idle times included.
fn jobs_of(instance: &Instance) -> Vec<Job> {
    let spans = instance.spans().iter().zip(instance.sizes()).enumerate();
    spans
        .filter(|(_, (span, size))| !span.is_empty() && **size > 0)
        .map(|(i, (span, &size))| Job {
            birth: span.start,
            death: span.end,
            size,
            content: Content::Buffer(i as u32),
        })
        .collect()
}
