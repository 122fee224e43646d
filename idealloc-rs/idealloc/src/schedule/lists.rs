//! Lists of different lengths, one per index, one after another in one vector.
//!
//! Searches keep several short lists for each of very many sets; a vector of their own for each would cost more than
//! what is in it.

/// Where a list is.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    length: u32,
}

/// Stands for a list that is not there yet.
const UNKNOWN: Span = Span { start: usize::MAX, length: 0 };

/// Lists by index; each is written once.
#[derive(Clone, Debug)]
pub(super) struct Lists<T> {
    spans: Vec<Span>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { spans: Vec::new(), items: Vec::new() }
    }
}

impl<T> Lists<T> {
    /// Whether a list has been written.
    pub fn has(&self, index: usize) -> bool {
        self.spans.get(index).is_some_and(|span| span.start != UNKNOWN.start)
    }

    /// One list; empty if it has not been written.
    pub fn get(&self, index: usize) -> &[T] {
        match self.spans.get(index) {
            Some(span) if span.length > 0 => {
                &self.items[span.start..span.start + span.length as usize]
            }
            _ => &[],
        }
    }

    /// One item of a list that has been written.
    pub fn item_mut(&mut self, index: usize, position: usize) -> &mut T {
        debug_assert!(position < self.spans[index].length as usize);
        &mut self.items[self.spans[index].start + position]
    }

    /// Writes a list.
    pub fn set(&mut self, index: usize, list: impl Iterator<Item = T>) {
        let start = self.items.len();
        self.items.extend(list);
        let length = (self.items.len() - start) as u32;
        if index >= self.spans.len() {
            self.spans.resize(index + 1, UNKNOWN);
        }
        self.spans[index] = Span { start, length };
    }

    /// Bytes taken.
    pub const fn held(&self) -> usize {
        self.spans.len() * size_of::<Span>() + self.items.len() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::Lists;

    #[test]
    fn lists_may_be_written_in_any_order() {
        let mut lists = Lists::default();
        lists.set(2, [5, 6].into_iter());
        lists.set(0, std::iter::empty());
        assert_eq!((lists.get(0), lists.get(1), lists.get(2)), (&[][..], &[][..], &[5, 6][..]));
        assert_eq!([0, 1, 2, 3].map(|i| lists.has(i)), [true, false, true, false]);
        *lists.item_mut(2, 1) = 7;
        assert_eq!(lists.get(2), [5, 7]);
    }
}
