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

#[cfg(test)]
mod tests {
    use crate::auto::search::Search;
    use crate::auto::stages::Stages;
    use crate::check::check;
    use crate::control::{Control, Options};
    use crate::place::instance::Instance;
    use crate::problem::Problem;

    /// Small buffers one after the other, and two crowds that never meet: three buffers with a load of 100, three of 90.
    fn two_crowds() -> Problem {
        let mut builder = Problem::builder();
        for start in 0..20 {
            builder.buffer(4, start, start + 1);
        }
        for (size, start, end) in [(30, 13, 15), (26, 12, 14), (30, 13, 16)] {
            builder.buffer(size, start, end);
        }
        for (size, start, end) in [(40, 2, 5), (36, 3, 6), (20, 4, 5)] {
            builder.buffer(size, start, end);
        }
        builder.build().expect("is well formed")
    }

    fn with_search(problem: &Problem, minimize: bool, run: impl FnOnce(&mut Search<'_>)) {
        let (instance, control) = (Instance::new(problem), Control::default());
        let options = Options { minimize, ..Options::default() };
        let stages = Stages::of(&options).expect("no parameters");
        run(&mut Search::new(problem, &instance, &options, stages, 1_000_000, &control));
    }

    #[test]
    fn what_is_live_at_crowded_moments_is_found_the_highest_load_first() {
        with_search(&two_crowds(), true, |search| {
            let sorted = |thousandths| {
                let mut crowds = search.crowded(thousandths);
                crowds.iter_mut().for_each(|crowd| crowd.sort_unstable());
                crowds
            };
            // The loads are 100 at 4, 90 at 13, and 80 at 3: 76 and what is small.
            assert_eq!(sorted(950), [vec![4, 23, 24, 25]]);
            assert_eq!(sorted(890), [vec![4, 23, 24, 25], vec![13, 20, 21, 22]]);
            assert_eq!(sorted(800)[0], [3, 4, 23, 24, 25]);
        });
    }

    #[test]
    fn crowds_are_planned_first_and_the_rest_around_them() {
        let problem = two_crowds();
        with_search(&problem, true, |search| {
            // As bad as can be: all one upon the other.
            let ends = problem.sizes().iter().scan(0, |top, size| {
                *top += size;
                Some(*top)
            });
            let stack: Vec<u64> = ends.zip(problem.sizes()).map(|(end, size)| end - size).collect();
            search.accept(&stack, problem.sizes().iter().sum());
            // A limit that no crowd keeps: nothing is done.
            search.crowds(10_000, 1);
            assert_eq!((search.peak, search.work), (262, 0));
            search.crowds(10_000, 8);
            assert_eq!((search.peak, search.target), (100, 100));
            assert!(check(&problem, &search.offsets, &[]).is_ok());
            assert!(search.work < 12_000, "{}", search.work);
        });
    }
}
