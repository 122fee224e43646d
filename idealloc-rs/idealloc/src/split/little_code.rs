//! Groups of least traffic whose code is not too long: code gets dearer until it is short enough.

use super::end_layer::EndLayer;
use super::ending::Notes;
use super::graph::SplitGraph;
use super::group::Group;
use super::layers::Layers;
use super::least_traffic::least_traffic;
use super::machine::Machine;
use super::misfit::Misfit;
use super::shorter::{Shortened, Shorter, Wanted};
use super::shorter_traffic::Traffic;

/// The price of code becomes so many times as high from one search to the next.
const STEP: f64 = 6.0;

/// Searches with a higher price, and after them such with a price between those of two before.
const SEARCHES: usize = 4;
const SEARCHES_BETWEEN: usize = 2;

/// Short code may cost this fraction of the bytes that move anyway.
const MOST_SHARE: i64 = 4;

/// Of tiles of other sizes those with the shortest code are looked at that cost so many 32nds more.
const SHARES: [i64; 3] = [1, 4, 8];

/// The groups of least traffic; if their code is too long, those of least traffic whose code is not.
///
/// If short code would cost too many bytes, of all groups within those the ones whose bytes times operations are fewest.
pub(super) fn little_code(
    graph: &SplitGraph,
    layers: &Layers,
    machine: Machine,
    threads: usize,
) -> Result<Vec<Group>, Misfit> {
    let mut notes = Notes::default();
    let ends = EndLayer::of_all(graph, layers, machine, threads);
    let mut least = least_traffic(graph, layers, &ends, &[], machine, (threads, &mut notes))?;
    let mut shorter = Shorter::new(Traffic { layers, ends: &ends, machine }, machine, threads);
    let length = shorter.length(&least.groups);
    if machine.code_bytes == 0 || machine.is_short(length) {
        return Ok(least.groups);
    }
    let most_traffic = least.traffic + least.traffic / MOST_SHARE;
    let mut found = Found::new(machine, least.traffic);
    found.take(Shortened { groups: least.groups.clone(), length });
    found.take_shorter(&mut shorter, &least.groups);
    // What a group costs but for its code does not change with the price.
    let mut known = vec![std::mem::take(&mut least.reached)];
    let mut ends_search = |times: f64| {
        let code_bytes = (machine.code_bytes as f64 * times) as i64;
        let priced = Machine { code_bytes, ..machine };
        let mut path = least_traffic(graph, layers, &ends, &known, priced, (threads, &mut notes))?;
        known.push(std::mem::take(&mut path.reached));
        if path.traffic > most_traffic {
            return Ok(true);
        }
        let length = shorter.length(&path.groups);
        let is_short = machine.is_short(length);
        if !is_short {
            found.take_shorter(&mut shorter, &path.groups);
        }
        found.take(Shortened { groups: path.groups, length });
        Ok(is_short)
    };
    let (mut low, mut high, mut is_between) = (1.0, 1.0, false);
    for _ in 0..SEARCHES {
        high *= STEP;
        is_between = ends_search(high)?;
        if is_between {
            break;
        }
        low = high;
    }
    for _ in 0..if is_between { SEARCHES_BETWEEN } else { 0 } {
        let middle = f64::sqrt(low * high);
        if ends_search(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(found.best.map_or(least.groups, |(_, groups)| groups))
}

/// How good groups are, the less the better: whether their code is too long, bytes moved, or those times operations.
type Score = (bool, i128);

/// The best groups that were found so far.
struct Found {
    machine: Machine,
    /// Bytes that may be moved.
    most_traffic: i64,
    best: Option<(Score, Vec<Group>)>,
}

impl Found {
    fn new(machine: Machine, least_traffic: i64) -> Self {
        Self { machine, most_traffic: least_traffic + least_traffic / MOST_SHARE, best: None }
    }

    /// Takes groups if they are better.
    fn take(&mut self, new: Shortened) {
        let traffic = new.groups.iter().map(|group| group.cost.traffic).sum::<i64>();
        let is_short = self.machine.is_short(new.length);
        let weight = if is_short { 1 } else { i128::from(new.length.operations) };
        let score = (!is_short, i128::from(traffic) * weight);
        let is_better = self.best.as_ref().is_none_or(|(known, _)| score < *known);
        if traffic <= self.most_traffic && is_better {
            self.best = Some((score, new.groups));
        }
    }

    /// Takes groups in other tiles, if they are better.
    fn take_shorter(&mut self, shorter: &mut Shorter<Traffic<'_>>, groups: &[Group]) {
        self.take(shorter.of(groups, Wanted::Short));
        for share in SHARES {
            self.take(shorter.of(groups, Wanted::Share(share)));
        }
    }
}
