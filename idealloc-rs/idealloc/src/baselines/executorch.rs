//! ExecuTorch's greedy memory planning.
//!
//! Source: ExecuTorch, `exir/memory_planning.py` (`greedy`, `pick_shared_obj`), BSD-3-Clause.
//!
//! Order: by size rounded up to the alignment, largest first; equal sizes in *reverse* order of position
//! (upstream sorts ascending with insertions after equals and reverses). Upstream's input is a set, so its own
//! ties depend on hashing.
//! Placement: memory is a row of shared objects, each as large as the buffer that opened it. A buffer goes to the
//! start of the first object in which nothing conflicts with it; else (`overlap=true`, the default) into the
//! first object in which it fits above all that conflicts; else it opens a new one.
//!
//! Both searches are for the lowest gap: the first in a memory in which every object is one byte; the second in that
//! of the objects as they are, one above the other, where a member takes its object from the bottom to its own end.
//! So what is free above the members of an object is all that is free in it.
//! Where alignments differ, a buffer starts at the first aligned byte of its place.
//!
//! Complexity: `O(n log n)` for the order; per buffer two searches for the lowest gap.

use std::borrow::Cow;

use crate::baselines::fit::{POLL, Request, aligned_sizes, order_by_key};
use crate::baselines::layout::complete;
use crate::baselines::placed::Placed;
use crate::baselines::rounding::Rounding;
use crate::baselines::settings::Settings;
use crate::baselines::windows::Windows;
use crate::control::{Control, Options};
use crate::error::Error;
use crate::index::BufferIdx;
use crate::planner::{Features, Placement, Planner};
use crate::problem::Problem;

/// Largest first into the first shared object with room.
pub const PLANNER: Planner = Planner {
    name: "executorch",
    origin: "ExecuTorch greedy",
    summary: "largest first, into the first shared object with room (overlap=false: one buffer at a time)",
    features: Features { alignment: true, fixed: false, gaps: true, conflicts: true, pools: false },
    run,
};

fn run(problem: &Problem, options: &Options, control: &Control) -> Result<Placement, Error> {
    let mut settings = Settings::new(PLANNER.name, options);
    let allows_overlap = settings.choice("overlap", &["true", "false"])? == 0;
    settings.finish()?;
    let sizes = aligned_sizes(problem);
    let order = order_by_key(problem, |i| [!sizes[i], !(i as u64)]);
    let rounding = Rounding::of(problem);
    let mut offsets = vec![0; problem.len()];
    let mut objects = Objects::new(problem, &sizes);
    for (turn, &buffer) in order.iter().enumerate() {
        if turn % POLL == 0 && control.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let size = sizes[buffer.get()];
        if size == 0 {
            continue;
        }
        let request = Request { size, alignment: problem.alignment(buffer), rounding };
        let mut found = objects.in_empty(buffer, &request);
        if allows_overlap {
            found = found.or_else(|| objects.above_others(buffer, &request));
        }
        let (object, offset) = found.unwrap_or_else(|| objects.open(&request));
        offsets[buffer.get()] = offset;
        objects.join(object, buffer, offset.saturating_add(size));
    }
    complete(problem, offsets)
}

/// The shared objects, one above the other, and who is in them.
struct Objects<'p> {
    windows: Windows,
    /// One byte per object, taken by its members.
    members: Placed<'p>,
    /// The bytes of the objects, taken from the bottom of an object to the end of its members.
    bytes: Placed<'p>,
}

impl<'p> Objects<'p> {
    fn new(problem: &Problem, sizes: &Cow<'p, [u64]>) -> Self {
        Self {
            windows: Windows::default(),
            members: Placed::new(problem, vec![1; problem.len()].into()),
            bytes: Placed::new(problem, sizes.clone()),
        }
    }

    /// The first object with no member that conflicts in which the buffer fits, and where in it.
    fn in_empty(&mut self, buffer: BufferIdx, request: &Request) -> Option<(usize, u64)> {
        let one = Request { size: 1, alignment: 1, ..*request };
        let mut gaps = self.members.gaps(buffer, 1);
        let mut object = 0;
        loop {
            object = gaps.lowest_from(object, &one);
            if object >= self.windows.len() as u64 {
                return None;
            }
            let offset = request.offset_in(self.windows.range(object as usize));
            if offset.is_some() {
                return offset.map(|offset| (object as usize, offset));
            }
            object += 1;
        }
    }

    /// The first object in which the buffer fits above all members that conflict, and where in it. One without such
    /// members does not hold it.
    fn above_others(&mut self, buffer: BufferIdx, request: &Request) -> Option<(usize, u64)> {
        let mut gaps = self.bytes.gaps(buffer, request.size);
        let mut from = 0;
        loop {
            let offset = gaps.lowest_from(from, request);
            if offset >= self.windows.top() {
                return None;
            }
            let object = self.windows.at(offset);
            let (_, top) = self.windows.range(object);
            if request.offset_in((offset, top)).is_some() {
                return Some((object, offset));
            }
            from = top;
        }
    }

    fn open(&mut self, request: &Request) -> (usize, u64) {
        let offset = request.rounding.up(self.windows.top(), request.alignment);
        self.windows.open(offset.saturating_add(request.size));
        (self.windows.len() - 1, offset)
    }

    fn join(&mut self, object: usize, buffer: BufferIdx, end: u64) {
        let (bottom, _) = self.windows.range(object);
        self.members.put(buffer, object as u64);
        self.bytes.take(buffer, (bottom, end));
    }
}
