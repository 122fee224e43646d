//! Groups of least traffic whose code is not too long: code gets dearer until it is short enough.

use super::end_layer::EndLayer;
use super::ending::Notes;
use super::graph::SplitGraph;
use super::group::Group;
use super::layers::Layers;
use super::least_traffic::{Path, least_traffic};
use super::machine::Machine;
use super::misfit::Misfit;

/// The price of code becomes so many times as high from one search to the next.
const STEP: f64 = 6.0;

/// Searches with a higher price, and after them such with a price between those of two before.
const SEARCHES: usize = 4;
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
    let mut notes = Notes::default();
    let ends = EndLayer::of_all(graph, layers, machine, threads);
    let mut least = least_traffic(graph, layers, &ends, &[], machine, (threads, &mut notes))?;
    if machine.code_bytes == 0 || machine.is_short(least.code) {
        return Ok(least.groups);
    }
    let most_traffic = least.traffic + least.traffic / MOST_SHARE;
    // What a group costs but for its code does not change with the price.
    let mut known = vec![std::mem::take(&mut least.reached)];
    let mut with_price = |times: f64| {
        let code_bytes = (machine.code_bytes as f64 * times) as i64;
        let machine = Machine { code_bytes, ..machine };
        let mut path = least_traffic(graph, layers, &ends, &known, machine, (threads, &mut notes))?;
        known.push(std::mem::take(&mut path.reached));
        Ok(path)
    };
    let ends_search = |path: &Path| path.traffic > most_traffic || machine.is_short(path.code);
    let (mut low, mut high, mut found) = (1.0, 1.0, None);
    for _ in 0..SEARCHES {
        high *= STEP;
        let path = with_price(high)?;
        if ends_search(&path) {
            found = Some(path);
            break;
        }
        low = high;
    }
    let Some(mut found) = found else { return Ok(least.groups) };
    for _ in 0..SEARCHES_BETWEEN {
        let middle = f64::sqrt(low * high);
        let path = with_price(middle)?;
        if ends_search(&path) {
            (high, found) = (middle, path);
        } else {
            low = middle;
        }
    }
    Ok(if found.traffic <= most_traffic { found.groups } else { least.groups })
}
