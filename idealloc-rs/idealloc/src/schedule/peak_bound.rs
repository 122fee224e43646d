//! A bound of traffic by least peak.

use super::reduce::Reduced;

/// Bytes that must move under a capacity, as what does not fit cannot stay; `least_peak` bounds every order's peak.
///
/// Whoever kept on chip what a schedule evicts, from then until it comes back, would need no more than the capacity
/// and the bytes that are away at once; but in some place every order needs the least peak. Each of these bytes comes
/// back, and is written before unless a copy is off chip anyway.
pub(super) fn moved_by_peak(reduced: &Reduced, capacity: u64, least_peak: u64) -> u64 {
    let away = least_peak.saturating_sub(capacity);
    let clean: u64 = reduced.items.iter().filter(|item| item.is_clean).map(|i| i.bytes).sum();
    away + away.saturating_sub(clean)
}
