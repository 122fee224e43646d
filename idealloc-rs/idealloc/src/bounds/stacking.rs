//! Least height of a stack of aligned buffers: the sequencing problem of one section.

use crate::preprocess::unit::gcd;
use crate::preprocess::{Component, Domain};

/// Largest common multiple of alignments, in units, that is taken into account.
const MOST_PERIOD: u64 = 1 << 20;

/// Most members of a section: ends then fit 32 bits.
const MOST_MEMBERS: usize = 1 << 10;

/// Members of a section that are as good as one another.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Height in units, modulo the period.
    pub height: u32,
    /// Alignment in units; see [`Domain::step`].
    pub step: u32,
    /// See [`Domain::phase`].
    pub phase: u32,
    /// Largest padding in bytes.
    pub padding: u64,
    /// How many there are.
    count: u32,
    /// What one of them adds to the number of a set.
    stride: u32,
}

/// The sets of members of a section, as far as they differ: how many of each kind.
///
/// What a stack wastes between its members depends on their heights modulo the common multiple of the alignments only, so
/// that members with equal heights modulo that, and equal alignments, are of one kind. Where that still makes too many sets,
/// alignments are weakened to their divisors in common with a divisor of the period.
#[derive(Clone, Debug)]
pub struct Stacking {
    kinds: Vec<Kind>,
    /// Kind of each member, in the order given.
    of_members: Vec<u32>,
    /// Number of sets.
    sets: usize,
    /// Alignments count in full.
    exact: bool,
}

impl Stacking {
    /// The sets of the given members of a component; `None` if no alignment matters, or there are more than `most_sets`.
    ///
    /// A fixed buffer counts as one that may lie anywhere. Complexity: `O(p k log k)` for `k` members and `p` periods tried.
    pub fn new(component: &Component, members: &[u32], most_sets: usize) -> Option<Self> {
        let steps = || {
            let domains = members.iter().map(|&i| component.domains[i as usize]);
            domains.filter(|d| d.fixed.is_none() && d.step > 1).map(|d| d.step)
        };
        if members.len() > MOST_MEMBERS || steps().next().is_none() {
            return None;
        }
        periods(steps()).into_iter().find_map(|p| Self::modulo(component, members, p, most_sets))
    }

    fn modulo(c: &Component, members: &[u32], period: u64, most_sets: usize) -> Option<Self> {
        // The part of an alignment that is taken into account, and the height modulo the period.
        let kind = |i: usize| {
            let Domain { step, phase, fixed } = c.domains[i];
            let step = if fixed.is_some() { 1 } else { gcd(step, period) };
            (step as u32, (phase % step) as u32, (c.heights[i] % period) as u32)
        };
        let mut names: Vec<_> = members.iter().map(|&i| kind(i as usize)).collect();
        names.sort_unstable();
        names.dedup();
        let new =
            |&(step, phase, height)| Kind { height, step, phase, padding: 0, count: 0, stride: 0 };
        let mut kinds: Vec<Kind> = names.iter().map(new).collect();
        let mut of_members = Vec::with_capacity(members.len());
        for &i in members {
            let at = names.binary_search(&kind(i as usize)).ok()?;
            kinds[at].count += 1;
            kinds[at].padding = kinds[at].padding.max(c.padding(i as usize));
            of_members.push(at as u32);
        }
        let mut sets = 1_usize;
        for kind in &mut kinds {
            kind.stride = sets as u32;
            sets = sets.checked_mul(kind.count as usize + 1).filter(|&sets| sets <= most_sets)?;
        }
        let domains = members.iter().map(|&i| c.domains[i as usize]);
        let exact = domains.filter(|d| d.fixed.is_none()).all(|d| period.is_multiple_of(d.step));
        Some(Self { kinds, of_members, sets, exact })
    }

    /// True if no alignment is weakened.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Steps of [`Self::ends`].
    pub fn work(&self) -> usize {
        self.sets * self.kinds.len()
    }

    /// What each member adds to the number of a set, in the order given.
    pub fn strides(&self) -> impl Iterator<Item = u32> {
        self.of_members.iter().map(|&kind| self.kinds[kind as usize].stride)
    }

    /// The least end of a stack of every set, heights modulo the period: `end_on(kind, end)` is where one of a kind ends on
    /// a stack that ends there (`None` for no stack), and must not fall as that end grows.
    ///
    /// One set after the other by its topmost member (Held and Karp 1962). Complexity: [`Self::work`].
    pub fn ends(&self, end_on: impl Fn(&Kind, Option<u32>) -> u32) -> Vec<u32> {
        let mut ends = vec![0; self.sets];
        let mut counts = vec![0; self.kinds.len()];
        for set in 1..self.sets {
            for (count, kind) in counts.iter_mut().zip(&self.kinds) {
                if *count < kind.count {
                    *count += 1;
                    break;
                }
                *count = 0;
            }
            let present = self.kinds.iter().zip(&counts).filter(|&(_, &count)| count > 0);
            let least = present.map(|(kind, _)| {
                let rest = set - kind.stride as usize;
                end_on(kind, (rest > 0).then(|| ends[rest]))
            });
            ends[set] = least.min().unwrap_or(0);
        }
        ends
    }

    /// Sum of the heights of every set, modulo the period each.
    pub fn heights(&self) -> Vec<u32> {
        self.ends(|kind, end| end.unwrap_or(0) + kind.height)
    }

    /// The kinds of members of the set of all, each with the number of that set without one of it.
    pub fn without_one(&self) -> impl Iterator<Item = (&Kind, usize)> {
        self.kinds.iter().map(|kind| (kind, self.sets - 1 - kind.stride as usize))
    }
}

/// The sections of a component, the largest load first, each with the height of a stack that wastes all it can.
///
/// Complexity: `O(runs + sections log sections)`.
pub fn by_load(component: &Component) -> Vec<(usize, u128)> {
    let mut change = vec![(0_i128, 0_i128); component.sections + 1];
    for (i, &height) in component.heights.iter().enumerate() {
        let (height, most) = (i128::from(height), i128::from(component.domains[i].step - 1));
        for run in component.runs(i) {
            change[run.first as usize].0 += height;
            change[run.first as usize].1 += most;
            change[run.last as usize + 1].0 -= height;
            change[run.last as usize + 1].1 -= most;
        }
    }
    let mut live = (0, 0);
    let loads = change[..component.sections].iter().map(|change| {
        live = (live.0 + change.0, live.1 + change.1);
        live
    });
    let mut order: Vec<(i128, usize, i128)> =
        loads.zip(0..).map(|((load, most), s)| (-load, s, load + most)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, s, most)| (s, most as u128)).collect()
}

/// The members of a section, ascending. Complexity: `O(runs)`.
pub fn members(component: &Component, section: usize) -> Vec<u32> {
    let is_in =
        |&i: &u32| component.runs(i as usize).iter().any(|run| run.range().contains(&section));
    (0..component.len() as u32).filter(is_in).collect()
}

/// Common multiples of alignments and their divisors, descending: with which alignments count in full comes first.
fn periods(steps: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut steps: Vec<u64> = steps.collect();
    steps.sort_unstable();
    steps.dedup();
    let multiple = |a: u64, b: u64| (a / gcd(a, b)).checked_mul(b).filter(|&m| m <= MOST_PERIOD);
    let mut periods: Vec<u64> = steps.iter().copied().filter(|&s| s <= MOST_PERIOD).collect();
    periods.extend(steps.iter().try_fold(1, |a, &b| multiple(a, b)));
    for (k, &a) in steps.iter().enumerate().take(8) {
        periods.extend(steps[..k].iter().filter_map(|&b| multiple(a, b)));
    }
    for k in 0..periods.len() {
        let mut half = periods[k];
        while half.is_multiple_of(4) {
            half /= 2;
            periods.push(half);
        }
    }
    periods.sort_unstable_by(|a, b| b.cmp(a));
    periods.dedup();
    periods
}
