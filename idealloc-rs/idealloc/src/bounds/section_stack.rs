//! The least stack of a section with alignment.

use std::cmp::Reverse;

use super::stacking::{Kind, Stacking};
use crate::preprocess::Component;

/// Sets of members of one section that are looked at, at most,
const MOST_SETS: usize = 1 << 18;

/// and steps for all sections: some ten milliseconds.
const MOST_WORK: usize = 1 << 23;

/// Bytes that some section needs by itself: its members conflict pairwise, so that they form a stack, whatever else there
/// is. At least [`Component::bound`]; exact for a section without fixed buffers or padding, unless it has too many kinds of
/// members (see [`Stacking`]).
///
/// Sections with the largest load first, as long as there is work left. Complexity: `O(sections n log n)`, and `2^23` steps.
#[must_use]
pub fn section_stack(component: &Component) -> u64 {
    let mut best = component.bound;
    if component.domains.iter().all(|domain| domain.step == 1) {
        return best;
    }
    let mut members = vec![Vec::new(); component.sections];
    for i in 0..component.len() {
        for s in component.runs(i).iter().flat_map(|run| run.range()) {
            members[s].push(i as u32);
        }
    }
    let load = |list: &[u32]| -> u64 { list.iter().map(|&i| component.heights[i as usize]).sum() };
    let mut sections: Vec<(u64, Vec<u32>)> = members.into_iter().map(|m| (load(&m), m)).collect();
    sections.sort_by_key(|(load, _)| Reverse(*load));
    let mut work = 0;
    for (_, list) in sections {
        if greedy(component, &list) <= best {
            continue;
        }
        let Some(stacking) = Stacking::new(component, &list, MOST_SETS) else { continue };
        work += stacking.work();
        if work > MOST_WORK {
            break;
        }
        best = best.max(least(component, &list, &stacking));
    }
    best
}

/// Bytes of a stack of the strictest alignment first: no less than the least.
fn greedy(component: &Component, members: &[u32]) -> u64 {
    let mut order: Vec<usize> = members.iter().map(|&i| i as usize).collect();
    order.sort_by_key(|&i| (Reverse(component.domains[i].step), component.padding(i)));
    let mut top = 0_u64;
    let mut end = 0;
    for i in order {
        let domain = component.domains[i];
        let at = if domain.fixed.is_some() { top } else { domain.align(top) };
        top = at.saturating_add(component.heights[i]);
        end = component.unit.bytes.saturating_mul(top).saturating_add(component.unit.origin);
        end = end.saturating_sub(component.padding(i));
    }
    end
}

/// Bytes of the least stack of all members.
fn least(component: &Component, members: &[u32], stacking: &Stacking) -> u64 {
    let ends = stacking.ends(|kind, end| end_on(kind, end.unwrap_or(0)));
    let whole: u64 = members.iter().map(|&i| component.heights[i as usize]).sum();
    let modulo: u64 = stacking.heights().last().copied().unwrap_or(0).into();
    let unit = component.unit;
    let bytes = stacking.without_one().map(|(kind, rest)| {
        let units = u64::from(end_on(kind, ends[rest])) - modulo + whole;
        (unit.origin + unit.bytes * units).saturating_sub(kind.padding)
    });
    bytes.min().unwrap_or(0)
}

/// Where one of a kind ends that lies as low as it can at or above a position.
fn end_on(kind: &Kind, position: u32) -> u32 {
    if kind.step == 1 {
        return position + kind.height;
    }
    let rest = (position + kind.phase) % kind.step;
    position + if rest == 0 { 0 } else { kind.step - rest } + kind.height
}
