//! What alignment wastes in each section, whatever is left to place there.

use std::cmp::Reverse;

use crate::bounds::stacking::{Kind, Stacking};
use crate::preprocess::Component;

/// Sets of members of one section that are looked at, at most,
const MOST_SETS: usize = 1 << 16;

/// and steps for all sections of a component: a few milliseconds.
const MOST_WORK: usize = 1 << 20;

/// For every section and every set of its members: units that alignment wastes at least when these, and nothing else, lie
/// between some position and the room of the section. A state has a number for what is left in each section.
#[derive(Clone, Debug)]
pub struct Stacks {
    /// Waste of every set of every section that has a table, one table after the other.
    waste: Vec<u32>,
    /// Number of the full set of each section in `waste`; that of the empty set of no table where there is none.
    full: Vec<u32>,
    /// What each buffer adds to the number, for each of its sections.
    strides: Vec<Vec<u32>>,
}

impl Stacks {
    /// The tables of a component at a capacity, with `room` units in each section and `above` bytes above the origin; `None`
    /// if no alignment matters. Sections with the least slack first, as far as the work goes.
    ///
    /// Complexity: `O(n log n)` and `2^20` steps.
    pub fn new(component: &Component, room: &[u64], above: u64) -> Option<Self> {
        if component.domains.iter().all(|domain| domain.step == 1) {
            return None;
        }
        let mut members = vec![Vec::new(); component.sections];
        for i in 0..component.len() {
            for s in component.runs(i).iter().flat_map(|run| run.range()) {
                members[s].push(i as u32);
            }
        }
        let load = |s: usize| -> u128 {
            members[s].iter().map(|&i| u128::from(component.heights[i as usize])).sum()
        };
        let mut order: Vec<(u128, usize)> = (0..component.sections).map(|s| (load(s), s)).collect();
        order.sort_by_key(|&(load, s)| (Reverse(load), s));
        let mut stacks = Self {
            waste: vec![0],
            full: vec![0; component.sections],
            strides: (0..component.len())
                .map(|i| vec![0; component.runs(i).iter().flat_map(|run| run.range()).count()])
                .collect(),
        };
        let mut work = 0;
        for (_, s) in order {
            let Some(stacking) = Stacking::new(component, &members[s], MOST_SETS) else { continue };
            work += stacking.work();
            if work > MOST_WORK {
                break;
            }
            let ends = stacking.ends(|kind, end| {
                let above = (above + kind.padding) / component.unit.bytes;
                end_below(kind, end.unwrap_or((room[s] - above) as u32), room[s])
            });
            stacks.full[s] = (stacks.waste.len() + ends.len() - 1) as u32;
            stacks
                .waste
                .extend(ends.iter().zip(stacking.heights()).map(|(end, height)| end - height));
            for (&i, stride) in members[s].iter().zip(stacking.strides()) {
                let sections = component.runs(i as usize).iter().flat_map(|run| run.range());
                let at = sections.take_while(|&section| section < s).count();
                stacks.strides[i as usize][at] = stride;
            }
        }
        (stacks.waste.len() > 1).then_some(stacks)
    }

    /// The number of what is left in each section before anything is placed.
    pub fn full(&self) -> &[u32] {
        &self.full
    }

    /// What a buffer adds to the number of each of its sections.
    pub fn strides(&self, buffer: usize) -> &[u32] {
        &self.strides[buffer]
    }

    /// Units that are wasted above what is left of a section.
    pub fn waste(&self, left: u32) -> u64 {
        self.waste[left as usize].into()
    }
}

/// How far below the room one of a kind reaches that lies as high as it can, with its top so far below it or lower.
fn end_below(kind: &Kind, distance: u32, room: u64) -> u32 {
    let end = distance + kind.height;
    if kind.step == 1 {
        return end;
    }
    // Aligned if the room less the distance, plus the phase, is a multiple of the step.
    let step = u64::from(kind.step);
    let aligned = ((room + u64::from(kind.phase)) % step) as u32;
    let rest = (end % kind.step + kind.step - aligned) % kind.step;
    end + if rest == 0 { 0 } else { kind.step - rest }
}
