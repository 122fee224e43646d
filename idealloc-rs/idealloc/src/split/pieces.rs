//! A long list that grows piece by piece: what is in it stays where it is, so that no memory is filled twice.

/// Items of a piece.
const PIECE: usize = 1024;

/// A list.
#[derive(Debug)]
pub(super) struct Pieces<T>(Vec<Vec<T>>);

impl<T> Default for Pieces<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Pieces<T> {
    /// Adds an item; returns its number.
    pub fn push(&mut self, item: T) -> u32 {
        if self.0.last().is_none_or(|piece| piece.len() == PIECE) {
            self.0.push(Vec::with_capacity(PIECE));
        }
        let before = PIECE * (self.0.len() - 1);
        let piece = self.0.last_mut();
        piece.map_or(0, |piece| {
            piece.push(item);
            (before + piece.len() - 1) as u32
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |last| PIECE * (self.0.len() - 1) + last.len())
    }

    /// The item of a number; none if there are fewer.
    pub fn get(&self, number: u32) -> Option<&T> {
        let number = number as usize;
        self.0.get(number / PIECE)?.get(number % PIECE)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let number = number as usize;
        self.0.get_mut(number / PIECE)?.get_mut(number % PIECE)
    }
}

impl<T> std::ops::Index<u32> for Pieces<T> {
    type Output = T;

    fn index(&self, number: u32) -> &T {
        &self.0[number as usize / PIECE][number as usize % PIECE]
    }
}

impl<T> std::ops::IndexMut<u32> for Pieces<T> {
    fn index_mut(&mut self, number: u32) -> &mut T {
        &mut self.0[number as usize / PIECE][number as usize % PIECE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_found_by_number_in_every_piece() {
        let mut list = Pieces::default();
        let count = 2 * PIECE as u32 + 3;
        for item in 0..count {
            assert_eq!(list.push(10 * item), item);
        }
        list[PIECE as u32] += 1;
        assert_eq!(list[PIECE as u32 - 1], 10 * (PIECE as u32 - 1));
        assert_eq!(list[PIECE as u32], 10 * PIECE as u32 + 1);
        assert_eq!(list.get(count - 1), Some(&(10 * (count - 1))));
        assert_eq!(list.get(count), None);
    }
}
