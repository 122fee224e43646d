//! Tensors that a group reads from outside, counted on while layers are added before it: another operator may read more of
//! them, until their maker is added.

use super::external::External;
use super::least::Least;
use super::tally::{NONE, Neighbours, Tally};

impl Tally<'_> {
    pub(super) fn leave_outside(&mut self, tensor: usize) {
        if let Some(external) = self.external(tensor) {
            let least = external.least;
            self.least_fetched -= least;
            self.outside.retain(|&other| other != tensor);
            self.known[tensor].place = NONE;
        }
    }

    pub(super) fn least_moved(&self, external: &External) -> Least {
        if self.is_read_in_place(external) {
            return Least::default();
        }
        external.least_fetched(self.machine)
    }

    /// Whether a tensor is read where it is, whatever lies on chip before the group.
    fn is_read_in_place(&self, external: &External) -> bool {
        !self.machine.is_staged
            || (!self.machine.stages_arguments && self.graph.tensors[external.source].is_argument)
    }

    /// Counts the tensors from outside again of which more is read.
    pub fn count_anew(&mut self) {
        let mut stale = std::mem::take(&mut self.stale);
        for tensor in stale.drain(..) {
            self.known[tensor].is_stale = false;
            let known = self.known[tensor];
            if known.is_inside || known.reads == 0 {
                continue;
            }
            let place = match known.place {
                NONE => self.used,
                place => place as usize,
            };
            if place == self.places.len() {
                self.places.push(External::new(tensor));
            }
            let external = &mut self.places[place];
            if !self.sweep.resolve(tensor, false, &mut external.spans) {
                continue;
            }
            if place == self.used {
                self.used += 1;
                self.known[tensor].place = place as u32;
                self.outside.push(tensor);
                external.tensor = tensor;
            } else {
                let least = self.places[place].least;
                self.least_fetched -= least;
            }
            let source = self.source_of(tensor);
            let external = &mut self.places[place];
            external.source = source;
            external.reader = (known.reads == 1).then_some(known.reader);
            external.count(&self.sweep, self.machine);
            let least = self.least_moved(&self.places[place]);
            self.least_fetched += least;
            self.places[place].least = least;
            let external = &self.places[place];
            let spans = self.sweep.tensor_spans(tensor).unwrap_or(&external.spans);
            let keepable = self.sweep.is_keepable(spans);
            self.set_keepable(tensor, keepable);
        }
        self.stale = stale;
    }

    /// The tensor whose elements a tensor from outside has.
    pub(super) fn source_of(&self, tensor: usize) -> usize {
        let mut source = tensor;
        while let Some(view) = self.shown_by(source) {
            source = self.graph.operators[view].operands[0].0;
        }
        source
    }

    /// What is known of a tensor from outside that is not looked up alone.
    pub(super) fn external(&self, tensor: usize) -> Option<&External> {
        self.places.get(self.known.get(tensor)?.place as usize)
    }

    /// Tensors from outside.
    pub(super) fn externals(&self) -> impl Iterator<Item = &External> {
        self.outside.iter().map(|&tensor| &self.places[self.known[tensor].place as usize])
    }

    /// Whether a tensor, or a view of it, is read from outside.
    pub fn reads(&self, source: usize) -> bool {
        self.externals_of(source).next().is_some()
    }

    /// Tensors from outside that are a tensor, or a view of it.
    pub(super) fn externals_of(&self, source: usize) -> impl Iterator<Item = &External> {
        let views = self.outer_views.iter().map(|&view| self.graph.operators[view].results[0]);
        let shown = std::iter::once(source).chain(views).filter_map(|tensor| self.external(tensor));
        shown.filter(move |external| external.source == source)
    }

    /// How a tensor from outside comes to the chip if nothing is kept.
    pub(super) fn is_resident(&self, external: &External, neighbours: Neighbours) -> bool {
        self.is_read_in_place(external) || Some(external.source) == neighbours.newest
    }

    /// Whether an argument is read once in the whole graph: nothing about it changes when layers are added.
    pub(super) fn is_final(&self, external: &External) -> bool {
        self.graph.tensors[external.tensor].is_argument
            && self.uses.get(external.tensor) == Some(&1)
    }

    /// Counts how often each tensor is read, for `is_final`.
    pub(super) fn count_uses(&mut self) {
        self.uses.resize(self.graph.tensors.len(), 0);
        for (tensor, _) in self.graph.operators.iter().flat_map(|op| &op.operands) {
            self.uses[*tensor] += 1;
        }
    }
}
