//! What alignment wastes in each section, whatever is left to place there.

use super::model::Model;
use crate::bounds::stacking::{Kind, Stacking, by_load, members};
use crate::preprocess::Component;

/// Sets of members of one section that are looked at, at most,
const MOST_SETS: usize = 1 << 16;

/// and steps for all sections of a component: a few milliseconds.
const MOST_WORK: usize = 1 << 20;

/// For every section and every set of its members: units that alignment wastes at least when these, and nothing else, lie
/// between some position and the room of the section. A state has a number for what is left in each section.
#[derive(Clone, Debug)]
pub struct Stacks {
    /// Waste of every set of every section, one table after the other; first that of nothing, for sections without one.
    waste: Vec<u32>,
    /// Number of all members of each section.
    full: Vec<u32>,
    /// What each buffer adds to the number, for each of its sections.
    strides: Vec<Vec<u32>>,
}

impl Stacks {
    /// The tables of a component at a capacity, with `room` units in each section and `above` bytes above the origin; `None`
    /// if no alignment matters. Sections with the largest load first, as far as the work goes.
    ///
    /// Complexity: `O(sections n log n)`, and `2^20` steps.
    pub fn new(component: &Component, room: &[u64], above: u64) -> Option<Self> {
        if component.domains.iter().all(|domain| domain.step == 1) {
            return None;
        }
        let widths = (0..component.len()).map(|i| component.runs(i).iter().flat_map(|r| r.range()));
        let mut stacks = Self {
            waste: vec![0],
            full: vec![0; component.sections],
            strides: widths.map(|sections| vec![0; sections.count()]).collect(),
        };
        let mut work = 0;
        for (s, _) in by_load(component) {
            let list = members(component, s);
            let Some(stacking) = Stacking::new(component, &list, MOST_SETS) else { continue };
            work += stacking.work();
            if work > MOST_WORK {
                break;
            }
            // Seen from the room downwards; only the topmost buffer may reach into its padding.
            let ends = stacking.ends(|kind, end| {
                let without = room[s] - (above + kind.padding) / component.unit.bytes;
                end_below(kind, end.unwrap_or(without as u32), room[s])
            });
            stacks.full[s] = (stacks.waste.len() + ends.len() - 1) as u32;
            let heights = stacking.heights();
            stacks.waste.extend(ends.iter().zip(heights).map(|(end, height)| end - height));
            for (&i, stride) in list.iter().zip(stacking.strides()) {
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

    /// What a buffer adds to the number of one of its sections.
    pub fn stride(&self, model: &Model, buffer: usize, section: usize) -> u32 {
        let mut before = 0;
        for run in &model.runs[buffer] {
            if section <= run.last as usize {
                return self.strides[buffer][before + section - run.first as usize];
            }
            before += run.range().count();
        }
        0
    }

    /// True if a number is that of a set in a table.
    pub fn tells(&self, left: u32) -> bool {
        left > 0
    }

    /// Units that are wasted above what is left of a section.
    pub fn waste(&self, left: u32) -> u64 {
        self.waste[left as usize].into()
    }
}

/// How far below the room one of a kind reaches that lies as high as it can with its top so far below the room or lower.
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
