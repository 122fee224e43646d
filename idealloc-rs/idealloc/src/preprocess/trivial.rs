//! Components whose optimum is known without search.

use std::collections::BTreeSet;

use super::component::Component;

/// Optimal positions of a component that is one section, or an interval graph with equal heights; else `None`.
///
/// One section: everything conflicts with everything, so any stacking reaches the load; the buffer with the largest
/// padding goes on top. Equal heights: colouring an interval graph in the order of its starts uses as many colours as
/// buffers are live at once (Gavril 1972), and each colour is one row of the plan.
/// Alignments beyond the unit, fixed offsets and gaps rule both out. Complexity: `O(n log n)`.
#[must_use]
pub fn positions(component: &Component) -> Option<Vec<u64>> {
    let n = component.len();
    if component.domains.iter().any(|d| d.step > 1 || d.fixed.is_some()) {
        return None;
    }
    if component.sections == 1 {
        return stack(component);
    }
    let height = component.heights[0];
    let equal = component.heights.iter().all(|&h| h == height)
        && (0..n)
            .all(|i| component.runs(i).len() == 1 && component.padding(i) == component.padding(0));
    equal.then(|| colour(component, height))
}

fn stack(component: &Component) -> Option<Vec<u64>> {
    let mut order: Vec<usize> = (0..component.len()).collect();
    order.sort_by_key(|&i| component.padding(i));
    let mut positions = vec![0; order.len()];
    let mut top = 0_u64;
    for i in order {
        positions[i] = top;
        top = top.checked_add(component.heights[i])?;
    }
    Some(positions)
}

fn colour(component: &Component, height: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..component.len()).collect();
    order.sort_by_key(|&i| (component.runs(i)[0].first, i));
    let mut busy: BTreeSet<(u32, u64)> = BTreeSet::new();
    let mut free: BTreeSet<u64> = BTreeSet::new();
    let mut rows = 0_u64;
    let mut positions = vec![0; order.len()];
    for i in order {
        let run = component.runs(i)[0];
        while let Some(&(last, row)) = busy.first() {
            if last >= run.first {
                break;
            }
            busy.pop_first();
            free.insert(row);
        }
        let row = free.pop_first().unwrap_or_else(|| {
            rows += 1;
            rows - 1
        });
        busy.insert((run.last, row));
        positions[i] = row * height;
    }
    positions
}
