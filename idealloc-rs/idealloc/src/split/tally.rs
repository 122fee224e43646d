//! What a group under one grid computes, moves and keeps, counted on while layers are added before it.
//!
//! An operator that was walked over does not change: its readers were there before it. Only tensors from outside do, when
//! another operator reads them, until their maker is added. So what most groups are turned down by takes time for the
//! new layer alone; a `Layout` is made of those that are left.

use super::boxes::level_of;
use super::external::External;
use super::graph::{Access, SplitGraph};
use super::largest_made::Largest;
use super::least::Least;
use super::machine::Machine;
use super::shifted_pad::is_padding;
use super::sweep::{CutLoop, Span, Sweep};
use super::tracks::Table;

/// What stays on chip before and after a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The tensor from outside that lies on chip when the group starts.
    pub newest: Option<usize>,
    /// Whether the result of the last operator stays on chip.
    pub keeps_result: bool,
}

/// No tensor from outside.
pub(super) const NONE: u32 = u32::MAX;

/// What is known of a tensor that the group reads or makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The operator that shows it, if it is a view of a tensor from outside that stays there.
    pub shown_by: Option<usize>,
    /// How many such views show it.
    pub outer_views: u32,
    /// Whether the group makes it.
    pub is_inside: bool,
    /// Whether a tile can keep what the next one needs of it.
    pub is_keepable: bool,
    /// Whether more is read of it than was counted.
    pub is_stale: bool,
    /// How often it is read.
    pub reads: u32,
    /// The operator that reads it, if it is one.
    pub reader: usize,
    /// Where it is among tensors from outside.
    pub place: u32,
    /// The largest result that is made while it is on chip.
    pub beside: Largest,
    /// Whether it may be a part of what stays on chip.
    pub may_stay: bool,
}

const UNKNOWN: Known = Known {
    shown_by: None,
    outer_views: 0,
    is_inside: false,
    is_keepable: true,
    is_stale: false,
    reads: 0,
    reader: 0,
    place: NONE,
    beside: Largest { all: 0, inside: 0 },
    may_stay: false,
};

/// What is known of a group.
#[derive(Debug)]
pub struct Tally<'a> {
    /// The walk.
    pub sweep: Sweep<'a>,
    pub(super) graph: &'a SplitGraph,
    pub(super) is_output: &'a [bool],
    pub(super) machine: Machine,
    /// Whether a view of a tensor from outside is not part of the group, but what is returned: the view is fetched.
    views_stay_outside: bool,
    /// Tensors by number, as far as they were met.
    pub(super) known: Vec<Known>,
    /// Views of tensors from outside, which take no time: they stay outside, and the view is fetched.
    pub(super) outer_views: Vec<usize>,
    /// Views of tensors from outside that are part of the group: what they show is fetched as one box.
    pub(super) joined_views: Vec<usize>,
    /// Places for tensors from outside; those from `used` on are free.
    pub(super) places: Vec<External>,
    pub(super) used: usize,
    /// Tensors from outside.
    pub(super) outside: Vec<usize>,
    pub(super) stale: Vec<usize>,
    /// The least that fetching tensors from outside takes, but for those that are read where they are.
    pub(super) least_fetched: Least,
    /// Bytes and moves of results that are stored, but for that of the last operator, and of elements that are looked up.
    moved: (i64, i64),
    /// Bytes and moves of the result of the last operator.
    moved_at_end: (i64, i64),
    /// Multiplications and additions of all tiles.
    pub work: i64,
    /// Those that are needed, each once.
    pub least_work: i64,
    /// For each number of cuts around them, operators that are written down; views are not.
    pub(super) operators: Vec<i64>,
    /// Operations in the code at the least beside those of each operator once: for each kind of tile of which no two are alike.
    pub(super) operations_again: i64,
    /// For each cut, tiles of which no two are alike, at the least.
    pub(super) kinds: Vec<i64>,
    /// Bytes of what the group makes that are kept before and after the middle tile; they only grow.
    pub kept_bytes: i64,
    /// The largest result that is made in the middle tile, with the largest that is made of it there.
    pub(super) largest_made: Largest,
    /// Tensors of which a tile cannot keep what the next one needs.
    not_keepable: usize,
    /// Whether something needs a sum that is added up within tiles, and is itself computed outside of these.
    outlives_sum: bool,
    pub(super) middle: Vec<usize>,
    /// How often each tensor is read in the whole graph.
    pub(super) uses: Vec<u32>,
}

impl<'a> Tally<'a> {
    /// Starts with a walk that may have been over some operators.
    pub fn new(sweep: Sweep<'a>, machine: Machine, views_stay_outside: bool) -> Self {
        let mut tally = Self {
            graph: sweep.graph,
            is_output: sweep.is_output,
            sweep,
            machine,
            views_stay_outside,
            known: Vec::new(),
            outer_views: Vec::new(),
            joined_views: Vec::new(),
            places: Vec::new(),
            used: 0,
            outside: Vec::new(),
            stale: Vec::new(),
            least_fetched: Least::default(),
            moved: (0, 0),
            moved_at_end: (0, 0),
            work: 0,
            least_work: 0,
            operators: Vec::new(),
            operations_again: 0,
            kinds: Vec::new(),
            kept_bytes: 0,
            largest_made: Largest::default(),
            not_keepable: 0,
            outlives_sum: false,
            middle: Vec::new(),
            uses: Vec::new(),
        };
        tally.forget();
        for op in (tally.sweep.first..=tally.sweep.last).rev() {
            tally.add(op);
        }
        tally.join_slices();
        tally.count_anew();
        tally
    }

    /// Starts over with other cuts.
    pub fn restart(&mut self, loops: Vec<CutLoop>, tracks: Vec<Table>) {
        self.sweep.restart(loops, tracks);
        self.forget();
    }

    fn forget(&mut self) {
        self.known.clear();
        self.outer_views.clear();
        self.joined_views.clear();
        self.used = 0;
        self.outside.clear();
        self.stale.clear();
        self.least_fetched = Least::default();
        (self.moved, self.moved_at_end) = ((0, 0), (0, 0));
        (self.work, self.least_work) = (0, 0);
        let cuts = self.sweep.loops.len();
        self.operators.clear();
        self.operators.resize(cuts + 1, 0);
        self.operations_again = 0;
        self.kinds.clear();
        self.kinds.resize(cuts, 1);
        (self.kept_bytes, self.not_keepable) = (0, 0);
        self.largest_made = Largest::default();
        self.outlives_sum = false;
        self.middle.clear();
        self.middle.extend(self.sweep.tracks.iter().map(|tracks| tracks.cut.tiles() / 2));
    }

    /// Walks back over all operators from `first` on.
    pub fn extend(&mut self, first: usize) {
        self.extend_uncounted(first);
        self.count_anew();
    }

    /// The same, but tensors from outside are not counted before `count_anew`: in between nothing that depends on them is
    /// known.
    pub fn extend_uncounted(&mut self, first: usize) {
        let from = self.sweep.first;
        self.sweep.extend(first);
        for op in (self.sweep.first..from).rev() {
            self.add(op);
        }
        self.join_slices();
    }

    fn add(&mut self, index: usize) {
        let op = &self.graph.operators[index];
        if self.sweep.loop_spans(index).is_none() {
            return;
        }
        for (tensor, _) in &op.operands {
            self.is_changed(*tensor);
        }
        for &tensor in &op.results {
            self.meet(tensor);
        }
        let is_fetched = self.machine.is_staged || !self.sweep.loops.is_empty();
        if self.views_stay_outside
            && is_fetched
            && op.is_view
            && index < self.sweep.last
            && let [(of, _), ..] = op.operands[..]
            && !self.graph.tensors[of].is_constant
            && !self.graph.tensors[op.results[0]].is_returned
        {
            let view = op.results[0];
            self.known[view].shown_by = Some(index);
            self.known[of].outer_views += 1;
            self.show_room(index);
            self.outer_views.push(index);
            self.is_changed(view);
            for &tensor in &self.outside {
                let external = &mut self.places[self.known[tensor].place as usize];
                if external.source == view {
                    external.source = of;
                }
            }
            return;
        }
        self.take_in(index);
    }

    /// Makes an operator a part of the group, and views of what it makes.
    pub(super) fn take_in(&mut self, index: usize) {
        let graph = self.graph;
        let op = &graph.operators[index];
        self.count_operator(index);
        for &tensor in &op.results {
            self.known[tensor].is_inside = true;
            self.known[tensor].shown_by = None;
            self.leave_outside(tensor);
            self.count_made(tensor);
        }
        for (tensor, access) in &op.operands {
            if graph.tensors[*tensor].is_constant
                || *access == Access::Indirect
                || self.known[*tensor].is_inside
            {
                continue;
            }
            let known = &mut self.known[*tensor];
            known.reads += 1;
            known.reader = index;
            self.is_changed(*tensor);
        }
        let views =
            op.results.iter().map(|&tensor| std::mem::take(&mut self.known[tensor].outer_views));
        if views.sum::<u32>() > 0 {
            let shows =
                |view: &mut usize| op.results.contains(&graph.operators[*view].operands[0].0);
            for view in self.outer_views.extract_if(.., shows).collect::<Vec<_>>() {
                self.take_in(view);
            }
        }
    }

    fn count_operator(&mut self, index: usize) {
        let (sweep, op) = (&self.sweep, &self.graph.operators[index]);
        let loops = sweep.loop_spans(index).unwrap_or(&[]);
        let level = level_of(loops);
        self.outlives_sum |= is_outlived(sweep, index);
        self.operators[level] += i64::from(!op.is_view);
        // Tiles may take padding as it is.
        if !op.is_view && !is_padding(self.graph, op) {
            self.operations_again += op.operations * (busy_kinds(sweep, loops) - 1);
        }
        count_kinds(sweep, loops, &mut self.kinds);
        for &tensor in &op.results {
            count_kinds(sweep, sweep.tensor_spans(tensor).unwrap_or(&[]), &mut self.kinds);
        }
        if op.work > 0 {
            self.work += op.work * sweep.sum(loops) * sweep.repeats(loops, level);
            self.least_work += op.work * sweep.union_elements(loops);
        }
        let tiles = |level: usize| (0..level).map(|cut| sweep.tiles(cut)).product::<i64>();
        for &tensor in op.results.iter().filter(|&&tensor| self.is_output[tensor]) {
            let moved = if index == sweep.last { &mut self.moved_at_end } else { &mut self.moved };
            moved.0 += sweep.stored(tensor) * self.graph.tensors[tensor].element_bytes;
            moved.1 += tiles(sweep.tensor_spans(tensor).map_or(0, level_of));
        }
        let mut looks_up = false;
        for (tensor, _) in op.operands.iter().filter(|(_, a)| *a == Access::Indirect) {
            let elements = sweep.sum(loops) * sweep.repeats(loops, level);
            self.moved.0 += elements * self.graph.tensors[*tensor].element_bytes;
            looks_up = true;
        }
        if looks_up {
            self.moved.1 += tiles(level);
        }
        self.count_room(index);
    }

    /// Counts what is kept of a tensor that the group makes.
    fn count_made(&mut self, tensor: usize) {
        let spans = self.sweep.tensor_spans(tensor).unwrap_or(&[]);
        if self.sweep.has_overlap(spans) {
            let elements =
                self.sweep.overlap(spans, &self.middle) + self.sweep.border(spans, &self.middle);
            self.kept_bytes += elements * self.graph.tensors[tensor].element_bytes;
        }
        let keepable = self.sweep.is_keepable(spans);
        self.set_keepable(tensor, keepable);
    }

    pub(super) fn set_keepable(&mut self, tensor: usize, keepable: bool) {
        if self.known[tensor].is_keepable != keepable {
            self.known[tensor].is_keepable = keepable;
            if keepable { self.not_keepable -= 1 } else { self.not_keepable += 1 }
        }
    }

    fn meet(&mut self, tensor: usize) {
        if tensor >= self.known.len() {
            self.known.resize(tensor + 1, UNKNOWN);
        }
    }

    /// Notes that more is read of a tensor, or by more.
    fn is_changed(&mut self, tensor: usize) {
        self.meet(tensor);
        if !self.known[tensor].is_stale {
            self.known[tensor].is_stale = true;
            self.stale.push(tensor);
        }
    }

    /// Whether a view of a tensor from outside stays there.
    pub(super) fn is_outer_view(&self, tensor: usize) -> bool {
        self.shown_by(tensor).is_some()
    }

    /// The operator that shows a tensor, if it is a view of a tensor from outside that stays there.
    pub(super) fn shown_by(&self, tensor: usize) -> Option<usize> {
        self.known.get(tensor)?.shown_by
    }

    /// Whether the group makes a tensor itself.
    pub(super) fn is_made_inside(&self, tensor: usize) -> bool {
        self.known.get(tensor).is_some_and(|known| known.is_inside)
            && self.sweep.tensor_spans(tensor).is_some()
    }

    /// Whether what was computed is still there when it is needed: all that is kept can be, and no sum within tiles is needed
    /// outside of them.
    pub fn can_keep(&self) -> bool {
        self.not_keepable == 0 && !self.outlives_sum
    }

    /// Whether the group can be cut so: what was computed is still there, and its tiles tell what all of its results follow.
    pub(super) fn can_be_cut(&self) -> bool {
        self.can_keep() && !self.sweep.follows_from_outside()
    }

    /// Whether more is computed again than the machine allows.
    pub fn recomputes_too_much(&self) -> bool {
        self.work as f64 > self.least_work as f64 * self.machine.max_recompute
    }

    /// Multiplications and additions of what is computed again.
    pub fn repeated_work(&self) -> i64 {
        self.work - self.least_work
    }

    /// Whether the operators from the first on and before `end` compute all that they can, whatever is cut. They could as
    /// well do so before the group.
    pub fn is_whole(&self, end: usize) -> bool {
        let graph = self.graph;
        let mut works = (self.sweep.first..end).filter(|&op| graph.operators[op].work > 0);
        // What is computed element by element of what is there as a whole may be large, and cut.
        let operators = (self.sweep.first..end).filter(|&op| !graph.operators[op].is_view);
        let is_whole = |op: usize| {
            let spans = self.sweep.loop_spans(op)?;
            let mut loops = spans.iter().zip(graph.operators[op].loops.iter());
            Some(loops.all(|(span, &extent)| matches!(*span, Span::Fixed(0, end) if end == extent)))
        };
        works.any(|op| self.sweep.loop_spans(op).is_some())
            && operators.into_iter().filter_map(is_whole).all(|whole| whole)
    }

    /// Whether some tensor from outside is read by two operators, so that two groups would both fetch it.
    pub fn reads_something_twice(&self) -> bool {
        self.outside.iter().any(|&tensor| self.known[tensor].reads > 1)
    }

    /// Bytes that stay on chip throughout.
    pub(super) fn resident_bytes(&self, neighbours: Neighbours) -> i64 {
        let target = self.graph.operators[self.sweep.last].results[0];
        let kept = neighbours.keeps_result.then_some(target);
        let room = |tensor: usize| self.machine.align(self.graph.tensors[tensor].bytes());
        neighbours.newest.into_iter().chain(kept).map(room).sum()
    }

    /// Bytes and moves of what the group makes or looks up.
    pub(super) fn moved(&self, keeps_result: bool) -> (i64, i64) {
        if !self.machine.is_staged {
            return (0, 0);
        }
        let last = if keeps_result { (0, 0) } else { self.moved_at_end };
        (self.moved.0 + last.0, self.moved.1 + last.1)
    }
}

/// Tiles that compute something of which no two are alike, at the least.
fn busy_kinds(sweep: &Sweep<'_>, spans: &[Span]) -> i64 {
    let of_cut = |cut: usize| {
        let of_span = |span: &Span| match *span {
            Span::Driven(other, track) if other == cut => {
                Some(sweep.tracks[cut].get(track).busy_kinds())
            }
            _ => None,
        };
        spans.iter().filter_map(of_span).max().unwrap_or(1).max(1)
    };
    (0..sweep.loops.len()).map(of_cut).product()
}

/// Counts for each cut the kinds of tiles that ranges tell apart.
fn count_kinds(sweep: &Sweep<'_>, spans: &[Span], kinds: &mut [i64]) {
    for span in spans {
        if let Span::Driven(cut, track) = *span {
            kinds[cut] = kinds[cut].max(sweep.tracks[cut].get(track).kinds());
        }
    }
}

/// Whether the sum of an operator is added up within tiles of other cuts, of which the innermost leaves the result as it is.
/// Then what is computed of that alone follows none of these cuts either: it would run when the tiles, and the sum, are
/// gone. The last operator is what is cut.
fn is_outlived(sweep: &Sweep<'_>, anchor: usize) -> bool {
    let is_sum = |cut: &CutLoop| matches!(cut, CutLoop::Accumulate(op, _) if *op == anchor);
    let Some(outside) = sweep.loops.iter().position(is_sum).filter(|_| anchor < sweep.last) else {
        return false;
    };
    let results = &sweep.graph.operators[anchor].results;
    results.iter().any(|&tensor| sweep.tensor_spans(tensor).map_or(0, level_of) < outside)
}
