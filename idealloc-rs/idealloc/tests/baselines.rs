//! The fast planners against plain quadratic statements of their rules, on problems with everything they support.

use std::cmp::Reverse;

use idealloc::{BufferIdx, Conflicts, Control, Lifetime, Options, Problem, plan};
use proptest::prelude::*;

/// What a problem may hold besides buffers with alignments and a base address.
#[derive(Clone, Copy)]
struct With {
    gaps: bool,
    pairs: bool,
    fixed: bool,
}

const EVERYTHING: With = With { gaps: true, pairs: true, fixed: true };
const LIFETIMES: With = With { gaps: false, pairs: false, fixed: false };

fn problems(with: With) -> impl Strategy<Value = Problem> {
    let buffer = (0_u64..20, 0_i64..25, 0_i64..12, 1_u64..9);
    (
        prop::collection::vec(buffer, 0..40),
        prop::collection::vec((0_usize..40, 0_usize..40), 0..6),
        prop::collection::vec((0_usize..40, 1_i64..6, 1_i64..6), 0..6),
        0_usize..3,
        0_u64..50,
        any::<bool>(),
    )
        .prop_map(move |(buffers, pairs, gaps, fixed, base, is_aligned)| {
            let n = buffers.len();
            let mut builder = Problem::builder();
            builder.memory(None, base);
            for &(size, start, life, alignment) in &buffers {
                let buffer = builder.buffer(size, start, start + life);
                if is_aligned {
                    builder.align(buffer, alignment);
                }
            }
            let mut has_gap = vec![false; n];
            for (i, after, length) in gaps.into_iter().filter(|gap| with.gaps && gap.0 < n) {
                let (_, start, life, _) = buffers[i];
                if !has_gap[i] && after + length < life {
                    has_gap[i] = true;
                    builder.gap(BufferIdx::from(i), start + after, start + after + length);
                }
            }
            let pairs: Vec<_> = pairs
                .into_iter()
                .filter(|&(a, b)| with.pairs && a != b && a < n && b < n)
                .map(|(a, b)| (BufferIdx::from(a), BufferIdx::from(b)))
                .collect();
            if !pairs.is_empty() {
                builder.conflicts(Conflicts::LifetimesAnd(pairs));
            }
            for (i, buffer) in buffers.iter().enumerate().take(if with.fixed { fixed } else { 0 }) {
                let alignment = if is_aligned { buffer.3 } else { 1 };
                let offset = (base + 40 * i as u64).next_multiple_of(alignment) - base;
                builder.fix(BufferIdx::from(i), offset);
            }
            builder.build().expect("valid by construction")
        })
}

/// A problem with the facts that rules ask for.
struct Facts<'p> {
    problem: &'p Problem,
    sizes: Vec<u64>,
}

impl<'p> Facts<'p> {
    fn new(problem: &'p Problem) -> Self {
        Self { problem, sizes: problem.sizes().to_vec() }
    }

    fn with_rounded_sizes(problem: &'p Problem) -> Self {
        let round = |i: usize| problem.sizes()[i].next_multiple_of(problem.alignment(i.into()));
        Self { problem, sizes: (0..problem.len()).map(round).collect() }
    }

    fn life(&self, i: usize) -> Lifetime {
        self.problem.lifetimes()[i]
    }

    fn span(&self, i: usize) -> u64 {
        self.life(i).end.abs_diff(self.life(i).start)
    }

    fn up(&self, i: usize, offset: u64) -> u64 {
        let base = self.problem.base_address();
        (base + offset).next_multiple_of(self.problem.alignment(i.into())) - base
    }

    fn pieces(&self, i: usize) -> Vec<Lifetime> {
        let mut from = self.life(i).start;
        let mut pieces = Vec::new();
        for (_, gap) in self.problem.gaps().iter().filter(|(buffer, _)| buffer.get() == i) {
            pieces.push(Lifetime::new(from, gap.start));
            from = gap.end;
        }
        pieces.push(Lifetime::new(from, self.life(i).end));
        pieces
    }

    fn conflict(&self, a: usize, b: usize) -> bool {
        let pair = (BufferIdx::from(a.min(b)), BufferIdx::from(a.max(b)));
        let is_listed = match self.problem.conflicts() {
            Conflicts::Lifetimes => false,
            Conflicts::LifetimesAnd(pairs) | Conflicts::Pairs(pairs) => pairs.contains(&pair),
        };
        is_listed || self.pieces(a).iter().any(|x| self.pieces(b).iter().any(|y| x.overlaps(*y)))
    }

    /// Gaps between the placed buffers that conflict, ascending; the last one has no end.
    fn gaps(&self, i: usize, placed: &[(usize, u64)]) -> Vec<(u64, u64)> {
        let mut taken: Vec<(u64, u64)> = placed
            .iter()
            .filter(|&&(j, _)| self.sizes[j] > 0 && self.conflict(i, j))
            .map(|&(j, offset)| (offset, offset + self.sizes[j]))
            .collect();
        taken.sort_unstable();
        let (mut gaps, mut from) = (Vec::new(), 0);
        for (start, end) in taken {
            if start > from {
                gaps.push((from, start));
            }
            from = from.max(end);
        }
        gaps.push((from, u64::MAX));
        gaps
    }

    /// All buffers by ascending key, then by position.
    fn by<K: Ord>(&self, key: impl Fn(usize) -> K) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        order.sort_by_key(|&i| key(i));
        order
    }

    /// Offsets of a static order where `rule(buffer, gaps)` chooses.
    fn place(
        &self,
        order: &[usize],
        mut rule: impl FnMut(usize, &[(u64, u64)]) -> u64,
    ) -> Vec<u64> {
        let mut offsets = vec![0; self.sizes.len()];
        let mut placed: Vec<(usize, u64)> = Vec::new();
        for &(buffer, offset) in self.problem.fixed() {
            offsets[buffer.get()] = offset;
            placed.push((buffer.get(), offset));
        }
        for &i in order {
            if self.sizes[i] > 0 && !placed.iter().any(|&(j, _)| j == i) {
                offsets[i] = rule(i, &self.gaps(i, &placed));
                placed.push((i, offsets[i]));
            }
        }
        offsets
    }

    fn fits(&self, i: usize, (start, end): (u64, u64)) -> bool {
        end == u64::MAX || self.up(i, start) + self.sizes[i] <= end
    }

    fn lowest(&self, i: usize, gaps: &[(u64, u64)]) -> u64 {
        let gap = gaps.iter().find(|&&gap| self.fits(i, gap));
        self.up(i, gap.expect("the last one fits").0)
    }

    /// The least (end - aligned start, start).
    fn smallest(&self, i: usize, gaps: &[(u64, u64)]) -> u64 {
        let fitting = gaps.iter().filter(|&&gap| self.fits(i, gap));
        let least = fitting.min_by_key(|gap| (gap.1 - self.up(i, gap.0), gap.0));
        self.up(i, least.expect("the last one fits").0)
    }

    /// LiteRT's `SimpleMemoryArena::Allocate`: what is left above the aligned offset against the whole of the gap before.
    fn arena_gap(&self, i: usize, gaps: &[(u64, u64)]) -> u64 {
        let (last, bounded) = gaps.split_last().expect("the last one has no end");
        let mut chosen = self.up(i, last.0);
        let mut best = u64::MAX;
        for &(start, end) in bounded {
            let aligned = self.up(i, start);
            if aligned + self.sizes[i] <= end && end - aligned < best {
                chosen = aligned;
                best = end - start;
            }
        }
        chosen
    }
}

fn planned(problem: &Problem, name: &str, settings: &[(&str, &str)]) -> Vec<u64> {
    let parameters = settings.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    let options = Options { parameters, ..Options::default() };
    plan(problem, name, &options, &Control::default()).expect(name).offsets
}

proptest! {
    #[test]
    fn xla_heaps(problem in problems(EVERYTHING)) {
        let facts = Facts::new(&problem);
        let size = |i: usize| Reverse(facts.sizes[i]);
        let live = |i: usize| -> u64 {
            facts.pieces(i).iter().map(|piece| piece.end.abs_diff(piece.start)).sum()
        };
        let orders = [
            ("xla-spatial", facts.by(|i| (size(i), Reverse(facts.span(i))))),
            ("xla-temporal", facts.by(|i| (Reverse(facts.span(i)), size(i)))),
            ("xla-area", facts.by(|i| Reverse(facts.sizes[i] * live(i)))),
            ("xla-start", facts.by(|i| (facts.life(i).start, size(i)))),
            ("xla-end", facts.by(|i| (facts.life(i).end, size(i)))),
        ];
        for (name, order) in orders {
            let best = facts.place(&order, |i, gaps| facts.smallest(i, gaps));
            prop_assert_eq!(planned(&problem, name, &[]), best, "{}", name);
            let low = facts.place(&order, |i, gaps| facts.lowest(i, gaps));
            prop_assert_eq!(planned(&problem, name, &[("fit", "lowest")]), low, "{}", name);
        }
    }

    /// The first of the least peaks of the heaps it lists.
    #[test]
    fn xla_best_of(problem in problems(EVERYTHING)) {
        let peak = |offsets: &[u64]| {
            offsets.iter().zip(problem.sizes()).map(|(offset, size)| offset + size).max()
        };
        for (list, fits) in [("classic", &["best"][..]), ("packing-search", &["best", "lowest"])] {
            let names: &[&str] = match list {
                "classic" => &["xla-spatial", "xla-temporal"],
                _ => &["xla-spatial", "xla-temporal", "xla-area"],
            };
            let heaps = fits.iter().flat_map(|fit| {
                names.iter().map(|name| planned(&problem, name, &[("fit", *fit)]))
            });
            let best = heaps.min_by_key(|offsets| peak(offsets)).expect("there are several");
            prop_assert_eq!(planned(&problem, "xla-best-of", &[("list", list)]), best);
        }
    }

    /// The least peak of its eight runs, a shared object unless a single one saves more than 100 MiB.
    #[test]
    fn somas_portfolio(
        problem in problems(With { fixed: false, ..EVERYTHING }),
        granule in prop_oneof![Just("1"), Just("512"), Just("60000000")],
    ) {
        let bytes: u64 = granule.parse().expect("a number");
        let peak = |offsets: &[u64]| {
            let ends = offsets.iter().zip(problem.sizes());
            ends.map(|(offset, size)| offset + size.next_multiple_of(bytes)).max().unwrap_or(0)
        };
        let best_of = |algorithm: &str| {
            let runs = ["size", "reuse"].into_iter().flat_map(|order| {
                ["best", "smallest"].into_iter().map(move |fit| (order, fit))
            });
            let run = |(order, fit)| planned(&problem, "somas", &[
                ("algorithm", algorithm), ("order", order), ("fit", fit), ("granule", granule),
            ]);
            runs.map(run).min_by_key(|offsets| peak(offsets)).expect("there are four")
        };
        let (shared, single) = (best_of("shared"), best_of("single"));
        let expected = if peak(&single) + (100 << 20) < peak(&shared) { single } else { shared };
        prop_assert_eq!(planned(&problem, "somas", &[("granule", granule)]), expected);
    }

    #[test]
    fn arenas(problem in problems(EVERYTHING)) {
        let facts = Facts::new(&problem);
        let order = facts.by(|i| (Reverse(facts.sizes[i]), facts.life(i).start));
        let arena = facts.place(&order, |i, gaps| facts.arena_gap(i, gaps));
        prop_assert_eq!(planned(&problem, "tflite-arena", &[]), arena);
        let order = facts.by(|i| Reverse(facts.sizes[i]));
        let by_size = facts.place(&order, |i, gaps| facts.smallest(i, gaps));
        prop_assert_eq!(planned(&problem, "tflite-gpu-by-size", &[]), by_size);
        let rounded = Facts::with_rounded_sizes(&problem);
        let order = rounded.by(|i| (Reverse(rounded.sizes[i]), Reverse(i)));
        let micro = rounded.place(&order, |i, gaps| rounded.lowest(i, gaps));
        prop_assert_eq!(planned(&problem, "tflm", &[]), micro);
        let iree = rounded.place(&rounded.by(|_| ()), |i, gaps| rounded.smallest(i, gaps));
        prop_assert_eq!(planned(&problem, "iree", &[]), iree);
    }

    #[test]
    fn executorch(problem in problems(With { fixed: false, ..EVERYTHING })) {
        let facts = Facts::with_rounded_sizes(&problem);
        let order = facts.by(|i| (Reverse(facts.sizes[i]), Reverse(i)));
        for overlap in [true, false] {
            let mut objects: Vec<(u64, u64)> = Vec::new();
            let offsets = facts.place(&order, |i, gaps| {
                // Where the last conflicting member of an object ends.
                let above = |&(bottom, top): &(u64, u64)| {
                    let free = gaps.iter().find(|gap| gap.0 < top && gap.1 >= top)?;
                    let start = facts.up(i, free.0.max(bottom));
                    (start + facts.sizes[i] <= top).then_some((start, free.0 <= bottom))
                };
                let places: Vec<(u64, bool)> = objects.iter().filter_map(above).collect();
                let empty = places.iter().find(|(_, is_empty)| *is_empty);
                match empty.or_else(|| places.first().filter(|_| overlap)) {
                    Some(&(start, _)) => start,
                    None => {
                        let start = facts.up(i, objects.last().map_or(0, |object| object.1));
                        let bottom = objects.last().map_or(0, |object| object.1);
                        objects.push((bottom, start + facts.sizes[i]));
                        start
                    }
                }
            });
            let overlap = if overlap { "true" } else { "false" };
            prop_assert_eq!(planned(&problem, "executorch", &[("overlap", overlap)]), offsets);
        }
    }

    #[test]
    fn online(problem in problems(LIFETIMES)) {
        let live_gaps = |facts: &Facts<'_>, i: usize, gaps: &[(u64, u64)], arena: Option<u64>| {
            let top = gaps[gaps.len() - 1].0;
            let below = &gaps[..gaps.len() - 1];
            let mut choices: Vec<(u64, u64)> = below.to_vec();
            choices.extend(arena.filter(|&end| end > top).map(|end| (top, end)));
            choices.retain(|&(start, end)| facts.up(i, start) + facts.sizes[i] <= end);
            let least = choices.iter().min_by_key(|gap| (gap.1 - facts.up(i, gap.0), gap.0));
            facts.up(i, least.map_or(top, |gap| gap.0))
        };
        let facts = Facts::new(&problem);
        // Online: what does not conflict by time has ended, as starts ascend. Empty lifetimes take no part.
        let alive = |order: Vec<usize>| -> Vec<usize> {
            order.into_iter().filter(|&i| !facts.life(i).is_empty()).collect()
        };
        let at_zero = |mut offsets: Vec<u64>| {
            for (i, offset) in offsets.iter_mut().enumerate() {
                if facts.life(i).is_empty() || facts.sizes[i] == 0 {
                    *offset = facts.up(i, 0);
                }
            }
            offsets
        };
        let order = alive(facts.by(|i| facts.life(i).start));
        let mut arena = 0;
        let mlir = facts.place(&order, |i, gaps| {
            let offset = live_gaps(&facts, i, gaps, Some(arena));
            arena = arena.max(offset + facts.sizes[i]);
            offset
        });
        prop_assert_eq!(planned(&problem, "mlir-best-fit", &[]), at_zero(mlir));
        let ort = facts.place(&order, |i, gaps| live_gaps(&facts, i, gaps, None));
        prop_assert_eq!(planned(&problem, "onnxruntime", &[]), at_zero(ort));
        let rounded = Facts::with_rounded_sizes(&problem);
        let order = alive(facts.by(|i| (facts.life(i).start, Reverse(facts.life(i).end), facts.sizes[i])));
        // It looks for room for the rounded size and takes the size.
        let vela = facts.place(&order, |i, gaps| live_gaps(&rounded, i, gaps, None));
        prop_assert_eq!(planned(&problem, "vela-greedy", &[]), at_zero(vela));
    }

    #[test]
    fn tvm_stacks(problem in problems(With { fixed: false, ..EVERYTHING })) {
        let facts = Facts::new(&problem);
        let n = problem.len();
        let degree = |i: usize| (0..n).filter(|&j| j != i && facts.conflict(i, j)).count();
        let orders = [
            ("tvm-by-size", facts.by(|i| (Reverse(facts.sizes[i]), Reverse(degree(i)), Reverse(i)))),
            ("tvm-by-conflicts", facts.by(|i| (Reverse(degree(i)), Reverse(facts.sizes[i]), Reverse(i)))),
        ];
        for (name, order) in orders {
            let mut offsets = vec![0; n];
            for (turn, &i) in order.iter().enumerate().filter(|&(_, &i)| facts.sizes[i] > 0) {
                let placed = order[..turn].iter().filter(|&&j| facts.sizes[j] > 0 && facts.conflict(i, j));
                let top = placed.map(|&j| facts.up(j, offsets[j] + facts.sizes[j])).max();
                offsets[i] = facts.up(i, top.unwrap_or(0));
            }
            prop_assert_eq!(planned(&problem, name, &[]), offsets, "{}", name);
        }
    }

    /// Left: memories, right: demands; the cheapest assignment, by trying all of them.
    #[test]
    fn min_cost_flow_is_cheapest(lives in prop::collection::vec((1_u64..9, 0_i64..9, 1_i64..4), 0..6)) {
        let mut builder = Problem::builder();
        for &(size, start, life) in &lives {
            builder.buffer(size, start, start + life);
        }
        let problem = builder.build().expect("valid by construction");
        let buffers: Vec<_> = lives.iter().map(|&(size, start, life)| (size, start, start + life)).collect();
        let cheapest = cheapest(&buffers, 0, &mut vec![false; buffers.len()]);
        let options = Options::default();
        let made = plan(&problem, "tflite-gpu-min-cost-flow", &options, &Control::default());
        // Chains of buffers that take over memory cost what their largest members add up to, or less than that.
        prop_assert!(made.expect("a plan").peak <= cheapest);
    }
}

fn cheapest(buffers: &[(u64, i64, i64)], demand: usize, is_used: &mut Vec<bool>) -> u64 {
    let Some(&(size, start, _)) = buffers.get(demand) else { return 0 };
    let mut least = size + cheapest(buffers, demand + 1, is_used);
    for memory in 0..buffers.len() {
        if !is_used[memory] && buffers[memory].2 <= start {
            is_used[memory] = true;
            let cost = size.saturating_sub(buffers[memory].0);
            least = least.min(cost + cheapest(buffers, demand + 1, is_used));
            is_used[memory] = false;
        }
    }
    least
}
