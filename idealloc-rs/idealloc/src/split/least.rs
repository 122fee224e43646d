//! Bounds of what a group costs.

/// The least that something costs, however it comes to the chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Least {
    /// Bytes moved.
    pub bytes: i64,
    /// Those with moves and code, as the machine prices them.
    pub price: i64,
}

impl Least {
    /// The larger of two bounds.
    pub fn max(self, other: Self) -> Self {
        Self { bytes: self.bytes.max(other.bytes), price: self.price.max(other.price) }
    }

    /// What the cheaper of two ways costs at the least.
    pub fn min(self, other: Self) -> Self {
        Self { bytes: self.bytes.min(other.bytes), price: self.price.min(other.price) }
    }

    /// The same where moves and code cost nothing.
    pub fn without_price(self) -> Self {
        Self { price: self.bytes, ..self }
    }

    /// The same with so many bytes more.
    pub fn with_bytes(self, more: i64) -> Self {
        Self { bytes: self.bytes + more, price: self.price + more }
    }
}

impl std::ops::AddAssign for Least {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.price += other.price;
    }
}

impl std::ops::Add for Least {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl std::ops::SubAssign for Least {
    fn sub_assign(&mut self, other: Self) {
        self.bytes -= other.bytes;
        self.price -= other.price;
    }
}
