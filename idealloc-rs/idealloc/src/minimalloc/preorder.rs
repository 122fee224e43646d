//! Static orders: by key strings, all keys descending, then by position.

use std::cmp::Reverse;

use crate::exact::model::Model;

/// Position of each buffer in the order that the keys give. Complexity: `O(n log n)`.
#[must_use]
pub fn preorder(model: &Model, keys: &str) -> Vec<u32> {
    let value = |i: usize, key: char| match key {
        'W' => u128::from(model.widths[i]),
        'A' => u128::from(model.widths[i]) * u128::from(model.heights[i]),
        _ => model.crowds[i],
    };
    let mut order: Vec<usize> = (0..model.n).collect();
    order.sort_by_cached_key(|&i| {
        (keys.chars().map(|key| Reverse(value(i, key))).collect::<Vec<_>>(), i)
    });
    let mut positions = vec![0; model.n];
    for (position, &i) in order.iter().enumerate() {
        positions[i] = position as u32;
    }
    positions
}
