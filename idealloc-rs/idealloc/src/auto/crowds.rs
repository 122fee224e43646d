//! Crowded moments first: what is live there is planned by itself, crowd by crowd, and the rest is placed around it.
//!
//! Where lives are short few moments come near the load, and what is live at one of them never meets what is live at the next.
//! Such a crowd is a small problem, often an easy one, though all buffers together are neither.

use std::cmp::Reverse;

use crate::auto::apart::part_of;
use crate::auto::search::Search;
use crate::control::Options;
use crate::place::order::Orders;

/// A moment is crowded from so many thousandths of the load on: the first that leaves crowds small.
const CROWDED: &[u32] = &[700, 750, 800, 850, 900, 950, 970, 985];

/// Part of the work that is left for what is placed around the crowds.
const FILLING: u64 = 8;

impl Search<'_> {
    /// Plans crowds one by one, the most crowded first, for at most so much work; the rest is placed around them. Only where
    /// no crowd has more than `most` buffers.
    pub fn crowds(&mut self, work: u64, most: usize) {
        let is_plain = self.instance.is_temporal()
            && !self.instance.has_pieces()
            && self.instance.fixed().is_empty();
        if self.is_done() || !self.stages.blends || !is_plain {
            return;
        }
        let mut crowds = CROWDED.iter().map(|&thousandths| self.crowded(thousandths));
        let Some(crowds) = crowds.find(|all| all.iter().all(|crowd| crowd.len() <= most)) else {
            return;
        };
        if [0, self.instance.len()].contains(&crowds.iter().map(Vec::len).sum()) {
            return;
        }
        let filling = work / FILLING;
        let end = self.work + (work - filling).min(self.left());
        let (mut hard, mut offsets, mut peak) = (Vec::new(), Vec::new(), self.target);
        let last = crowds.len() - 1;
        for (number, crowd) in crowds.into_iter().enumerate() {
            // The others only have to end below the highest.
            let is_first = number == 0;
            let capacity = if is_first { self.problem.capacity() } else { Some(peak) };
            let problem = part_of(self.problem, &crowd, capacity);
            let minimize = is_first && self.options.minimize;
            let options = Options { minimize, ..self.options.clone() };
            // What one leaves is for the next.
            let left = end.saturating_sub(self.work);
            let left = if number == last { left } else { left / 4 * 3 };
            let Some(found) = self.solved(&problem, &options, self.stages, left) else { return };
            let ends = crowd
                .iter()
                .zip(&found)
                .map(|(&buffer, offset)| offset + self.instance.sizes()[buffer as usize]);
            peak = ends.fold(peak, u64::max);
            hard.extend(crowd);
            offsets.extend(found);
        }
        if peak >= self.peak {
            return;
        }
        let mut is_hard = vec![false; self.instance.len()];
        hard.iter().for_each(|&buffer| is_hard[buffer as usize] = true);
        let rest: Vec<u32> =
            (0..self.instance.len() as u32).filter(|&buffer| !is_hard[buffer as usize]).collect();
        self.fill(&hard, &offsets, &rest, peak, filling);
    }

    /// What is live at crowded moments, by what never meets, the highest load first.
    fn crowded(&self, thousandths: u32) -> Vec<Vec<u32>> {
        let hot = Orders::new(self.instance).meets_peak(thousandths);
        let spans = self.instance.spans();
        let mut buffers: Vec<u32> =
            (0..self.instance.len() as u32).filter(|&buffer| hot[buffer as usize]).collect();
        buffers.sort_by_key(|&buffer| spans[buffer as usize].start);
        let loads = self.instance.section_loads();
        let mut crowds: Vec<(u64, Vec<u32>)> = Vec::new();
        let mut end = 0;
        for buffer in buffers {
            let span = spans[buffer as usize];
            if span.start >= end {
                crowds.push((0, Vec::new()));
            }
            end = end.max(span.end);
            if let Some((load, crowd)) = crowds.last_mut() {
                let most = loads[span.start as usize..span.end as usize].iter().copied().max();
                *load = (*load).max(most.unwrap_or(0));
                crowd.push(buffer);
            }
        }
        crowds.sort_by_key(|(load, crowd)| (Reverse(*load), crowd.first().copied()));
        crowds.into_iter().map(|(_, crowd)| crowd).collect()
    }
}
