//! Groups of least traffic whose code is not too long: code gets dearer until it is short enough.

use super::graph::SplitGraph;
use super::group::Group;
use super::layers::Layers;
use super::least_traffic::{Misfit, Path, least_traffic};
use super::machine::Machine;

/// The price of code becomes so many times as high from one search to the next.
const STEP: i64 = 4;

/// Searches with a higher price, and then with one between those of the last two.
const SEARCHES: usize = 5;
const SEARCHES_BETWEEN: usize = 2;

/// Short code may cost this fraction of the bytes that move anyway.
const MOST_SHARE: i64 = 4;

/// The groups of least traffic; if their code is too long, those of least traffic whose code is not.
///
/// If short code would cost too many bytes, the limit counts for nothing.
pub(super) fn little_code(
    graph: &SplitGraph,
    layers: &Layers,
    machine: Machine,
    threads: usize,
) -> Result<Vec<Group>, Misfit> {
    let least = least_traffic(graph, layers, machine, threads)?;
    let operators = graph.operators.iter().filter(|op| !op.is_view).count();
    let fits = |path: &Path| path.code as f64 <= machine.most_code * operators as f64;
    if machine.code_bytes == 0 || machine.most_code == 0.0 || fits(&least) {
        return Ok(least.groups);
    }
    let most_traffic = least.traffic + least.traffic / MOST_SHARE;
    let with_price = |code_bytes: i64| {
        least_traffic(graph, layers, Machine { code_bytes, ..machine }, threads)
    };
    let (mut low, mut high, mut found) = (machine.code_bytes, machine.code_bytes, None);
    for _ in 0..SEARCHES {
        high = high.saturating_mul(STEP);
        let path = with_price(high)?;
        if path.traffic > most_traffic || fits(&path) {
            found = Some(path);
            break;
        }
        low = high;
    }
    for _ in 0..SEARCHES_BETWEEN {
        let middle = low + (high - low) / 3;
        let path = with_price(middle)?;
        if fits(&path) || path.traffic > most_traffic {
            (high, found) = (middle, Some(path));
        } else {
            low = middle;
        }
    }
    let found = found.filter(|path| fits(path) && path.traffic <= most_traffic);
    Ok(found.unwrap_or(least).groups)
}
