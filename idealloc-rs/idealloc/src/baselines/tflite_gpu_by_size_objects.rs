//! Shared objects by size, with distance as priority, of TFLite's GPU delegate.
//!
//! Source: LiteRT, `tflite/delegates/gpu/common/memory_management/greedy_by_size_assignment.cc`
//! (`GreedyBySizeDistPriorityAssignment`), Apache-2.0; Pisarchyk and Lee, arXiv:2001.03288, section 4.4.
//!
//! Let the positional maximum `k` be the greatest `k`-th largest size live at any tick, and the position of a
//! buffer the greatest `k` whose positional maximum is not below its size.
//! Order: the least (position, distance, size descending, index), where distance is the least time between the
//! buffer's life and that of a member of an object that is free during its life; chosen anew after each
//! placement.
//! Placement: the object at that distance, which grows if need be: the one that first came that close, or the
//! first by number once the closest has been taken. No such object: a new one. Objects lie one above the other.
//!
//! Complexity: `O(n^2)`, and `O(k log n)` where a closest object of `k` is looked for anew; upstream `O(n^2 k)`.

use std::cmp::Reverse;

use crate::baselines::fit::order_by_key;
use crate::baselines::settings::Settings;
use crate::baselines::shared_objects::SharedObjects;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::lifetime::Lifetime;
use crate::place::instance::Instance;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

/// Large sizes first, close lifetimes together.
pub const PLANNER: Planner = Planner {
    name: "tflite-gpu-by-size-objects",
    origin: "LiteRT GPU GreedyBySizeDistPriorityAssignment",
    summary: "shared objects, large first, then the closest in time",
    features: Features {
        alignment: true,
        fixed: false,
        gaps: false,
        conflicts: false,
        pools: false,
    },
    run,
};

/// A buffer that waits.
struct Waiting {
    buffer: usize,
    life: Lifetime,
    size: u64,
    position: usize,
    /// Distance to the closest object, and the object.
    closest: Option<(u64, usize)>,
    is_placed: bool,
}

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    Settings::new(PLANNER.name, options).finish()?;
    let maxima = positional_maxima(problem, control)?;
    let position = |size: u64| maxima.partition_point(|&most| most >= size);
    let mut objects = SharedObjects::new(problem);
    let mut waiting: Vec<Waiting> = order_by_key(problem, |i| [!problem.sizes()[i]])
        .into_iter()
        .map(|b| (b.get(), problem.sizes()[b.get()], problem.lifetimes()[b.get()]))
        .filter(|&(_, size, life)| size > 0 && !life.is_empty())
        .map(|(buffer, size, life)| {
            let position = position(size);
            Waiting { buffer, life, size, position, closest: None, is_placed: false }
        })
        .collect();
    // Positions ascend as sizes descend: one group of equal position after the other.
    let mut rest = waiting.as_mut_slice();
    while let Some(first) = rest.first() {
        let group = first.position;
        let end = rest.partition_point(|w| w.position <= group);
        for _ in 0..end {
            if control.is_cancelled() {
                return Err(Error::Cancelled);
            }
            place_one(&mut objects, rest, end);
        }
        rest = &mut rest[end..];
    }
    objects.into_placement()
}

/// Places the buffer of the first `group` whose turn it is, and brings the distances of all others up to date.
fn place_one(objects: &mut SharedObjects<'_>, waiting: &mut [Waiting], group: usize) {
    let key = |w: &Waiting| {
        let distance = w.closest.map_or(u64::MAX, |(distance, _)| distance);
        (w.is_placed, distance, Reverse(w.size), w.buffer)
    };
    let Some(chosen) = waiting[..group].iter_mut().min_by_key(|w| key(w)) else { return };
    chosen.is_placed = true;
    let (buffer, life) = (chosen.buffer, chosen.life);
    let object = match chosen.closest {
        Some((_, object)) => {
            objects.join(object, buffer);
            object
        }
        None => objects.open(buffer),
    };
    for other in waiting.iter_mut().filter(|other| !other.is_placed) {
        if other.life.overlaps(life) {
            if other.closest.is_some_and(|(_, closest)| closest == object) {
                other.closest = closest(objects, other.life);
            }
            continue;
        }
        let distance = distance(life, other.life);
        if other.closest.is_none_or(|(least, _)| distance < least)
            && objects.is_free(object, other.life)
        {
            other.closest = Some((distance, object));
        }
    }
}

/// The object that is free during a lifetime and has the closest member; the first of equals.
fn closest(objects: &SharedObjects<'_>, life: Lifetime) -> Option<(u64, usize)> {
    (0..objects.sizes().len())
        .filter_map(|object| Some((objects.distance(object, life)?, object)))
        .min()
}

/// Ticks between two lifetimes that do not overlap.
fn distance(a: Lifetime, b: Lifetime) -> u64 {
    if a.end <= b.start { b.start.abs_diff(a.end) } else { a.start.abs_diff(b.end) }
}

/// Sizes looked at between two looks at the control.
const WATCH: usize = 1 << 17;

/// For each `k` the greatest `k`-th largest size live at one tick, descending.
fn positional_maxima(problem: &Problem, control: &Control) -> Result<Vec<u64>, Error> {
    let instance = Instance::new(problem);
    let mut starts: Vec<(u32, u64)> = Vec::new();
    let mut ends: Vec<(u32, u64)> = Vec::new();
    for (span, &size) in instance.spans().iter().zip(problem.sizes()) {
        if !span.is_empty() {
            starts.push((span.start, size));
            ends.push((span.end, size));
        }
    }
    starts.sort_unstable();
    ends.sort_unstable();
    let (mut starts, mut ends) = (starts.into_iter().peekable(), ends.into_iter().peekable());
    // Sizes live in a section, descending.
    let mut live: Vec<u64> = Vec::new();
    let mut maxima: Vec<u64> = Vec::new();
    let mut looked_at = WATCH;
    for section in 0..instance.sections() as u32 {
        looked_at += live.len();
        if looked_at >= WATCH {
            looked_at = 0;
            if control.is_cancelled() {
                return Err(Error::Cancelled);
            }
        }
        let mut ended: Vec<u64> = Vec::new();
        while let Some((_, size)) = ends.next_if(|&(to, _)| to <= section) {
            ended.push(size);
        }
        remove(&mut live, ended);
        let before = live.len();
        while let Some((_, size)) = starts.next_if(|&(from, _)| from <= section) {
            live.push(size);
        }
        // A stable sort merges: of what is sorted already it takes a look at each.
        live[before..].sort_unstable_by_key(|&size| Reverse(size));
        live.sort_by_key(|&size| Reverse(size));
        maxima.resize(maxima.len().max(live.len()), 0);
        for (most, &size) in maxima.iter_mut().zip(&live) {
            *most = size.max(*most);
        }
    }
    Ok(maxima)
}

/// Takes sizes out of a descending list that has them all.
fn remove(live: &mut Vec<u64>, mut gone: Vec<u64>) {
    if gone.is_empty() {
        return;
    }
    // The last is the largest, and the first that is met.
    gone.sort_unstable();
    live.retain(|&size| {
        let is_gone = gone.last() == Some(&size);
        if is_gone {
            gone.pop();
        }
        !is_gone
    });
}
