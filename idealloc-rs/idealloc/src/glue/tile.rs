//! Tiles: buffers, and what gluing makes of them.

/// A rectangle of time and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Position of the first moment among all at which something starts or ends.
    pub start: u32,
    /// Position of the moment one past the last.
    pub end: u32,
    /// Bytes.
    pub size: u64,
}

/// How a tile was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// It is a buffer.
    Buffer,
    /// One that ends where another of the same size starts.
    Beside([u32; 2]),
    /// One upon another of the same lifetime.
    Stacked([u32; 2]),
    /// Five around one, see [`wheel`](super::wheel).
    Wheel([u32; 5]),
}

impl Made {
    /// What it was made of.
    pub fn parts(&self) -> &[u32] {
        match self {
            Self::Buffer => &[],
            Self::Beside(parts) | Self::Stacked(parts) => parts,
            Self::Wheel(parts) => parts,
        }
    }
}
