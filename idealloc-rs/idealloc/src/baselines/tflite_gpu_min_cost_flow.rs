//! Shared objects by minimum-cost flow, of TFLite's GPU delegate.
//!
//! Source: LiteRT, `tflite/delegates/gpu/common/memory_management/min_cost_flow_assignment.cc`, Apache-2.0; Lee
//! et al., "On-Device Neural Net Inference with Mobile GPUs", arXiv:1907.01989, section 4.2.
//!
//! Each buffer asks for memory: a new object (cost: its size), or the memory of one that ended before it starts
//! (cost: by how much it is larger). The cheapest flow that serves all, found with successive shortest paths
//! (queue-based Bellman-Ford), links buffers to chains; a chain is an object as large as its largest member.
//! Upstream's costs are 32 bits wide; ours are 64. Where several flows cost the same, upstream may choose another
//! one.
//!
//! Complexity: one shortest path per buffer in a graph with an edge per pair that does not conflict; at most 2^26
//! edges.

use std::collections::VecDeque;

use crate::baselines::fit::order_by_key;
use crate::baselines::settings::Settings;
use crate::baselines::shared_objects::SharedObjects;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;
use crate::radix::ascending;

/// Chains of buffers of least total size by a flow.
pub const PLANNER: Planner = Planner {
    name: "tflite-gpu-min-cost-flow",
    origin: "LiteRT GPU MinCostFlowAssignment",
    summary: "shared objects, chains of least cost by a flow (quadratic: up to some thousand buffers)",
    features: Features {
        alignment: true,
        fixed: false,
        gaps: false,
        conflicts: false,
        pools: false,
    },
    run,
};

const MOST_EDGES: usize = 1 << 26;

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let order = order_by_key(problem, |i| [ascending(problem.lifetimes()[i].start)]);
    let buffers: Vec<usize> = order
        .into_iter()
        .map(|buffer| buffer.get())
        .filter(|&i| problem.sizes()[i] > 0 && !problem.lifetimes()[i].is_empty())
        .collect();
    let predecessors = Matching::new(problem, &buffers)?.solve(control)?;
    let mut objects = SharedObjects::new(problem);
    let mut object_of = vec![0; buffers.len()];
    for (i, &buffer) in buffers.iter().enumerate() {
        object_of[i] = match predecessors[i] {
            // Predecessors end before, so they start before and have their object.
            Some(j) => {
                objects.join(object_of[j], buffer);
                object_of[j]
            }
            None => objects.open(buffer),
        };
    }
    objects.into_placement()
}

/// Which buffer takes over the memory of which: a matching of demands to memories that become free.
///
/// Serving demand `i` by a new object costs `sizes[i]`; by the memory of `j`, `max(0, sizes[i] - sizes[j])`.
struct Matching {
    sizes: Vec<i128>,
    /// For each memory `j` the demands that start after it ended: those from this position on, in order of start.
    first_after: Vec<usize>,
    memory_of: Vec<Option<usize>>,
    demand_of: Vec<Option<usize>>,
}

impl Matching {
    fn new(problem: &Problem, buffers: &[usize]) -> Result<Self, Error> {
        let lives: Vec<_> = buffers.iter().map(|&i| problem.lifetimes()[i]).collect();
        let first_after: Vec<usize> =
            lives.iter().map(|life| lives.partition_point(|l| l.start < life.end)).collect();
        let edges: usize = first_after.iter().map(|first| lives.len() - first).sum();
        if edges > MOST_EDGES {
            return Err(Error::problem(format!(
                "planner 'tflite-gpu-min-cost-flow' would need a graph of {edges} edges; {MOST_EDGES} are supported"
            )));
        }
        Ok(Self {
            sizes: buffers.iter().map(|&i| i128::from(problem.sizes()[i])).collect(),
            first_after,
            memory_of: vec![None; buffers.len()],
            demand_of: vec![None; buffers.len()],
        })
    }

    fn cost(&self, memory: usize, demand: usize) -> i128 {
        (self.sizes[demand] - self.sizes[memory]).max(0)
    }

    /// Starts with a new object for each demand, and uses up one memory per round while that makes it cheaper.
    fn solve(mut self, control: &Control) -> Result<Vec<Option<usize>>, Error> {
        let n = self.sizes.len();
        for _ in 0..n {
            if control.is_cancelled() {
                return Err(Error::Cancelled);
            }
            // Least change of cost on a path from an unused memory to each memory, and the memory before on it
            // with the demand taken from it.
            let mut change: Vec<Option<i128>> =
                self.demand_of.iter().map(|demand| demand.is_none().then_some(0)).collect();
            let mut before: Vec<Option<usize>> = vec![None; n];
            let mut queue: VecDeque<usize> =
                (0..n).filter(|&memory| change[memory].is_some()).collect();
            let mut is_queued: Vec<bool> = change.iter().map(Option::is_some).collect();
            // Least (change, memory, demand) of a path that ends at a demand with a new object.
            let mut best: Option<(i128, usize, usize)> = None;
            while let Some(memory) = queue.pop_front() {
                is_queued[memory] = false;
                let Some(so_far) = change[memory] else { continue };
                for demand in self.first_after[memory]..n {
                    let taken = so_far + self.cost(memory, demand);
                    match self.memory_of[demand] {
                        None => {
                            let end = (taken - self.sizes[demand], memory, demand);
                            if end.0 < 0 && best.is_none_or(|least| end < least) {
                                best = Some(end);
                            }
                        }
                        Some(other) => {
                            let freed = taken - self.cost(other, demand);
                            if other != memory && change[other].is_none_or(|least| freed < least) {
                                change[other] = Some(freed);
                                before[other] = Some(memory);
                                if !is_queued[other] {
                                    is_queued[other] = true;
                                    queue.push_back(other);
                                }
                            }
                        }
                    }
                }
            }
            let Some((_, mut memory, mut demand)) = best else { break };
            loop {
                let next = self.demand_of[memory].replace(demand);
                self.memory_of[demand] = Some(memory);
                match (before[memory], next) {
                    (Some(earlier), Some(freed)) => (memory, demand) = (earlier, freed),
                    _ => break,
                }
            }
        }
        Ok(self.memory_of)
    }
}
