//! Tensors that lie in a larger one, such as what is padded: which other shapes of them lie there, too.
//!
//! Rows of an image lie apart where the image is padded, so that no view shows all of its pixels as one dimension. What is
//! made in another shape is made elsewhere, then.

use super::graph::Access;
use super::layout::Layout;

/// For each dimension of a tensor whether all of the larger one is the tensor, so that what is behind one another along it
/// goes on along the dimension before.
pub(super) type Frame = Vec<bool>;

impl Layout<'_, '_> {
    /// The frame of a part of a tensor, which may lie in a larger one itself.
    pub(super) fn frame_in(&self, part: usize, whole: usize, outer: Option<&Frame>) -> Frame {
        let (part, whole) = (&self.graph.tensors[part].shape, &self.graph.tensors[whole].shape);
        // A part may lack dimensions of size 1 that come first.
        let missing = whole.len().saturating_sub(part.len());
        let is_whole = |(d, size): (usize, &i64)| {
            let is_inner = outer.is_none_or(|frame| frame.get(d + missing) == Some(&true));
            is_inner && whole.get(d + missing) == Some(size)
        };
        part.iter().enumerate().map(is_whole).collect()
    }

    /// The frame of a tensor that lies where another one does.
    pub(super) fn frame_of(&self, tensor: usize, other: &Frame) -> Frame {
        let rank = self.graph.tensors[tensor].shape.len();
        if rank == other.len() { other.clone() } else { vec![false; rank] }
    }

    /// The frame of what a view shows, from that of the view; none if it cannot lie there in its own shape.
    pub(super) fn frame_of_source(&self, view: usize, frame: &Frame) -> Option<Frame> {
        let view = &self.graph.operators[view];
        let (source, access) = &view.operands[0];
        let sizes = &self.graph.tensors[view.results[0]].shape;
        let source = &self.graph.tensors[*source].shape;
        let Access::Reshape(groups) = access else {
            return (sizes == source).then(|| frame.clone());
        };
        let mut found = vec![true; source.len()];
        for (of_view, of_source) in groups.iter() {
            let mut large = of_view.iter().copied().filter(|&d| sizes[d] > 1);
            let outermost = large.next();
            if !large.all(|d| frame[d]) {
                return None;
            }
            let first = of_source.iter().copied().find(|&d| source[d] > 1);
            if let (Some(outermost), Some(first)) = (outermost, first) {
                found[first] = frame[outermost];
            }
        }
        Some(found)
    }
}
