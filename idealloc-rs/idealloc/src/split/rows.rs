//! Lists by number, one behind another: a walk writes hundreds, and starts over without giving any room back.

/// Where a list lies; `usize::MAX` as a start if there is none.
type Place = (usize, usize);

const NONE: Place = (usize::MAX, 0);

/// For each number a list, or none.
#[derive(Clone, Debug)]
pub(super) struct Rows<T> {
    items: Vec<T>,
    places: Vec<Place>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { items: Vec::new(), places: Vec::new() }
    }
}

impl<T: Copy> Rows<T> {
    /// Forgets all lists.
    pub fn restart(&mut self) {
        self.items.clear();
        self.places.clear();
    }

    /// The list of a number.
    pub fn get(&self, number: usize) -> Option<&[T]> {
        let &(start, length) = self.places.get(number)?;
        if start == NONE.0 { None } else { self.items.get(start..start + length) }
    }

    /// The list of a number, to be changed.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut [T]> {
        let &(start, length) = self.places.get(number)?;
        if start == NONE.0 { None } else { self.items.get_mut(start..start + length) }
    }

    /// Gives a number a list, in place of what it had.
    pub fn set(&mut self, number: usize, list: &[T]) {
        if let Some(known) = self.get_mut(number)
            && known.len() == list.len()
        {
            known.copy_from_slice(list);
            return;
        }
        if number >= self.places.len() {
            self.places.resize(number + 1, NONE);
        }
        self.places[number] = (self.items.len(), list.len());
        self.items.extend_from_slice(list);
    }
}
