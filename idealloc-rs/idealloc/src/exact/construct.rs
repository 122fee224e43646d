//! A first plan of a component, so that there always is one.

use std::cmp::Reverse;

use crate::preprocess::{Component, Run};

/// First fit by height, fixed buffers first. Complexity: `O(n^2)` and the runs.
#[must_use]
pub fn first_fit(component: &Component) -> Vec<u64> {
    let n = component.len();
    let mut positions = vec![0; n];
    let mut order: Vec<usize> = (0..n).collect();
    order
        .sort_by_key(|&i| (component.domains[i].fixed.is_none(), Reverse(component.heights[i]), i));
    // Placed buffers by ascending position.
    let mut placed: Vec<usize> = Vec::with_capacity(n);
    for i in order {
        let domain = component.domains[i];
        let mut at = domain.fixed.unwrap_or_else(|| domain.align(0));
        if domain.fixed.is_none() {
            for &j in &placed {
                if at + component.heights[i] <= positions[j] {
                    break;
                }
                if positions[j] + component.heights[j] > at
                    && share(component.runs(i), component.runs(j))
                {
                    at = domain.align(positions[j] + component.heights[j]);
                }
            }
        }
        positions[i] = at;
        placed.insert(placed.partition_point(|&j| positions[j] <= at), i);
    }
    positions
}

/// True if two ascending lists of runs have a common section.
fn share(a: &[Run], b: &[Run]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].meets(b[j]) {
            return true;
        }
        if a[i].last < b[j].last { i += 1 } else { j += 1 }
    }
    false
}
