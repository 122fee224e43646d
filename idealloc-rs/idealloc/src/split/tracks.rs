//! What follows from a cut for the tensors and loops of a group: a track for each.

use rustc_hash::FxHashMap;

use super::cut::{Cut, Halo};
use super::fold::{Fold, Uneven};
use super::track::{NOTHING, Track};
use crate::preprocess::unit::gcd;

/// What readers of a tensor need of one dimension in each known tile.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    /// First index needed in this tile or later (cached), or in this tile; `NOTHING` for none.
    first: Vec<i64>,
    /// One past the last index needed in this tile; `NO_END` for none.
    end: Vec<i64>,
    raw: Vec<i64>,
}

/// A tile needs nothing.
const NO_END: i64 = -1;

impl Request {
    /// The elements from one period of tiles to the next, in the middle, of each of the lists.
    fn steps(&self, fold: Fold) -> Result<[i64; 3], Uneven> {
        let first = fold.step_of(&self.first, Some(NOTHING))?;
        let end = fold.step_of(&self.end, Some(NO_END))?;
        let raw = fold.step_of(&self.raw, None)?;
        Ok([first, end, raw].map(|step| step.unwrap_or(0)))
    }

    /// Itself, if what it needs in all other tiles follows.
    fn if_even(self, fold: Fold) -> Result<Self, Uneven> {
        self.steps(fold).map(|_| self)
    }

    /// The same where other tiles are known, which follow from those that were.
    fn refolded(&self, from: Fold, to: Fold) -> Result<Self, Uneven> {
        let [first, end, raw] = self.steps(from)?;
        let list = |numbers: &[i64], none: Option<i64>, step: i64| {
            let tiles = to.weighted().filter(|_| !numbers.is_empty());
            tiles.map(|(tile, _)| from.number_of(numbers, none, step, tile)).collect()
        };
        let new = Self {
            first: list(&self.first, Some(NOTHING), first),
            end: list(&self.end, Some(NO_END), end),
            raw: list(&self.raw, None, raw),
        };
        new.if_even(to)
    }
}

/// `(coefficient * loop + constant) / divisor`, where other loops move the constant between `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Line {
    /// Elements per iteration.
    pub coefficient: i64,
    /// Least constant.
    pub low: i64,
    /// Greatest constant.
    pub high: i64,
    /// What the sum is divided by.
    pub divisor: i64,
}

impl Line {
    /// The first index from where the loop begins; it may lie before the dimension.
    pub fn first(&self, start: i64) -> i64 {
        let sum = self.coefficient * start + self.low;
        // Nearly always nothing is divided, and to divide takes long.
        if self.divisor == 1 { sum } else { -(-sum).div_euclid(self.divisor) }
    }

    /// One more than the last index to where the loop ends; it may lie behind the dimension.
    pub fn end(&self, end: i64) -> i64 {
        let sum = self.coefficient * (end - 1) + self.high;
        1 + if self.divisor == 1 { sum } else { sum.div_euclid(self.divisor) }
    }

    /// Whether an index is even in all tiles where the loop goes on by `step` from one period of them to the next; if not, it is
    /// after some periods.
    fn check(&self, step: i64) -> Result<(), Uneven> {
        let (by, divisor) = ((self.coefficient * step).unsigned_abs(), self.divisor.unsigned_abs());
        let times = divisor / gcd(by, divisor).max(1);
        if times <= 1 { Ok(()) } else { Err(Uneven::Longer(times as usize)) }
    }
}

/// Where the elements of a range are in one dimension of a reshaped tensor: `(outer + index * inner) / stride % extent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Strides {
    /// Elements before the first index.
    pub outer: i64,
    /// Elements per index.
    pub inner: i64,
    /// Elements per index of the dimension.
    pub stride: i64,
    /// Indices of the dimension.
    pub extent: i64,
}

/// What tiles need of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// All tiles the same range.
    Same(i64, i64),
    /// Each its own.
    Request(u32),
}

/// All tracks that follow from one cut. Tensors of a chain share them, so each is computed once.
///
/// Of many tiles some are known, and others follow. Which ones are depends on what the table was asked for; what it says of a
/// tile does not.
#[derive(Debug)]
pub struct Tracks {
    /// The cut.
    pub cut: Cut,
    fold: Fold,
    root: Option<u32>,
    /// Tiles that stand for all where tensors follow the cut evenly.
    ends_and_middle: Vec<usize>,
    /// For each track a tile in which it takes more room than in any of these, if there is one: rows of a tensor in windows,
    /// two of which a tile needs now and then.
    above: Vec<Option<usize>>,
    tracks: Vec<Track>,
    requests: Vec<Request>,
    known_tracks: Known,
    known_requests: Known,
    lines: FxHashMap<(u32, Line, i64), u32>,
    through: FxHashMap<(u32, Strides), (Asked, bool)>,
    unions: FxHashMap<(u32, u32), u32>,
    finals: FxHashMap<(u32, i64, bool), u32>,
}

/// A table in memory of its own: walks take it out of a pool and give it back, thousands of times.
pub type Table = Box<Tracks>;

impl Tracks {
    /// The table of a cut, with nothing in it.
    pub fn new(cut: Cut) -> Self {
        Self {
            // Tiles that are shifted at the ends are compared as a row.
            fold: match cut.halo {
                Halo::Shift => Fold::all(cut.tiles()),
                Halo::Cache | Halo::Recompute => Fold::new(cut.tiles()),
            },
            ends_and_middle: cut.ends_and_middle(),
            above: Vec::new(),
            cut,
            root: None,
            tracks: Vec::new(),
            requests: Vec::new(),
            known_tracks: Known::default(),
            known_requests: Known::default(),
            lines: FxHashMap::default(),
            through: FxHashMap::default(),
            unions: FxHashMap::default(),
            finals: FxHashMap::default(),
        }
    }

    /// A track by its number.
    pub fn get(&self, track: u32) -> &Track {
        &self.tracks[track as usize]
    }

    /// All tracks, by number.
    pub fn all(&self) -> &[Track] {
        &self.tracks
    }

    /// Tiles that stand for all when the room of some tracks is counted, ascending.
    pub fn sample(&self, tracks: impl Iterator<Item = u32>) -> Vec<usize> {
        let mut sample = self.ends_and_middle.clone();
        sample.extend(tracks.filter_map(|track| self.above[track as usize]));
        sample.sort_unstable();
        sample.dedup();
        sample
    }

    /// Whether tiles keep what the next one needs.
    pub fn is_cached(&self) -> bool {
        self.cut.halo == Halo::Cache
    }

    /// Whether all tiles compute as much as the largest.
    pub(super) fn is_shifted(&self) -> bool {
        self.cut.halo == Halo::Shift
    }

    /// The track of the loop that is cut.
    pub fn root(&mut self) -> u32 {
        if let Some(known) = self.root {
            return known;
        }
        let track = self.until_even(Self::track_of_cut);
        let root = self.intern_track(track);
        self.root = Some(root);
        root
    }

    fn track_of_cut(&self) -> Result<Track, Uneven> {
        let clamp = |p: i64| p.clamp(0, self.cut.extent);
        let known = || self.fold.weighted().map(|(tile, _)| self.cut.position(tile));
        let mut new: Vec<_> = known().map(|(start, end)| (clamp(start), clamp(end))).collect();
        if self.is_shifted() {
            shift(&mut new, self.cut.extent);
        }
        let (keep, raw) = if self.is_cached() {
            (vec![NOTHING; new.len() + 1], known().map(|(_, end)| end).collect())
        } else {
            (Vec::new(), Vec::new())
        };
        Track::of(self.fold, new, keep, raw)
    }

    /// What is made of known tiles; of more, until all others follow from it.
    fn until_even<T>(&mut self, make: impl Fn(&Self) -> Result<T, Uneven>) -> T {
        loop {
            match make(self) {
                Ok(made) => return made,
                Err(uneven) => self.refold(self.fold.after(uneven)),
            }
        }
    }

    /// Goes on with other tiles that are known.
    fn refold(&mut self, mut fold: Fold) {
        let (tracks, requests) = loop {
            let tracks = self.tracks.iter().map(|track| track.refolded(fold));
            let requests = self.requests.iter().map(|request| request.refolded(self.fold, fold));
            match (tracks.collect::<Result<Vec<_>, _>>(), requests.collect::<Result<Vec<_>, _>>()) {
                (Ok(tracks), Ok(requests)) => break (tracks, requests),
                _ => fold = Fold::all(fold.tiles()),
            }
        };
        self.fold = fold;
        self.known_tracks.clear();
        for (number, track) in tracks.iter().enumerate() {
            self.known_tracks.entry(key_of_track(track)).or_default().push(number as u32);
        }
        self.known_requests.clear();
        for (number, request) in requests.iter().enumerate() {
            self.known_requests.entry(key_of_request(request)).or_default().push(number as u32);
        }
        (self.tracks, self.requests) = (tracks, requests);
    }

    /// Which tiles are known.
    pub(super) fn fold(&self) -> Fold {
        self.fold
    }

    /// What each tile has of a dimension that is the loop that is cut.
    pub fn request_of_cut(&mut self) -> u32 {
        let same = Line { coefficient: 1, low: 0, high: 0, divisor: 1 };
        let root = self.root();
        self.request(root, same, self.cut.extent)
    }

    /// What a reader with loop range `track` needs of a dimension of `size` elements.
    pub fn request(&mut self, track: u32, line: Line, size: i64) -> u32 {
        if let Some(&known) = self.lines.get(&(track, line, size)) {
            return known;
        }
        let request = self.until_even(|tracks| {
            let reader = &tracks.tracks[track as usize];
            if tracks.fold.is_folded() {
                line.check(reader.step())?;
                line.check(reader.raw_step)?;
            }
            let first = |start: i64| line.first(start).clamp(0, size);
            let last = |end: i64| line.end(end);
            tracks.request_by(reader, first, |end| last(end).clamp(0, size), last)
        });
        let id = self.intern_request(request);
        self.lines.insert((track, line, size), id);
        id
    }

    /// What a reader of a reshaped tensor needs of one of its dimensions, and whether each tile needs one index of it.
    pub fn request_through(&mut self, track: u32, strides: Strides) -> (Asked, bool) {
        if let Some(&known) = self.through.get(&(track, strides)) {
            return known;
        }
        // Where rows end tiles are unlike others.
        if self.fold.is_folded() {
            self.refold(Fold::all(self.fold.tiles()));
        }
        let Strides { outer, inner, stride, extent } = strides;
        let first = |start: i64| ((outer + start * inner) / stride) % extent;
        let end = |end: i64| ((outer + end * inner - 1) / stride) % extent + 1;
        let reader = &self.tracks[track as usize];
        let (mut is_same, mut is_single, mut range) = (!self.is_cached(), !self.is_cached(), None);
        for &(from, to) in reader.new.iter().filter(|(from, to)| from < to) {
            if !is_same && !is_single {
                break;
            }
            let of_tile = (first(from), end(to));
            is_same &= *range.get_or_insert(of_tile) == of_tile;
            is_single &= (outer + from * inner) / stride == (outer + to * inner - 1) / stride;
        }
        // Heads of which each tile has one: all need the same. What one tile alone needs is there for that one.
        let mut busy = reader.new.iter().filter(|(from, to)| from < to);
        let is_alone = reader.new.len() > 1 && busy.next().is_some() && busy.next().is_none();
        let asked = match range.filter(|_| is_same && !is_alone) {
            Some((start, end)) => Asked::Same(start, end),
            None => {
                let extent = reader.new.last().map_or(0, |range| range.1);
                let raw = |position: i64| end(position.clamp(1, extent.max(1)));
                let request = self.until_even(|tracks| {
                    tracks.request_by(&tracks.tracks[track as usize], first, end, raw)
                });
                Asked::Request(self.intern_request(request))
            }
        };
        self.through.insert((track, strides), (asked, is_single));
        (asked, is_single)
    }

    fn request_by(
        &self,
        reader: &Track,
        first: impl Fn(i64) -> i64,
        end: impl Fn(i64) -> i64,
        raw: impl Fn(i64) -> i64,
    ) -> Result<Request, Uneven> {
        let done = reader.new.last().map_or(0, |range| range.1);
        let cached = self.is_cached();
        let tiles = reader.new.len();
        let room = || Vec::with_capacity(tiles);
        let raw_room = if cached { room() } else { Vec::new() };
        let mut request = Request { first: room(), end: room(), raw: raw_room };
        for (tile, &(from, to)) in reader.new.iter().enumerate() {
            let reads = from < to;
            let needs = if cached { from < done } else { reads };
            request.first.push(if needs { first(from) } else { NOTHING });
            request.end.push(if reads { end(to) } else { NO_END });
            if cached {
                request.raw.push(raw(reader.raw[tile]));
            }
        }
        if cached {
            return request.if_even(self.fold);
        }
        let mut request = request.if_even(self.fold)?;
        for (first, end) in request.first.iter_mut().zip(&mut request.end) {
            // Clipped to nothing: this tile lies in padding, or in another part of a concatenation.
            if *end <= *first {
                (*first, *end) = (NOTHING, NO_END);
            }
        }
        request.if_even(self.fold)
    }

    /// What two readers need together.
    pub fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let merge = |x: &[i64], y: &[i64], pick: fn(i64, i64) -> i64| {
            x.iter().zip(y).map(|(&p, &q)| pick(p, q)).collect::<Vec<_>>()
        };
        let request = self.until_even(|tracks| {
            let (x, y) = (&tracks.requests[a as usize], &tracks.requests[b as usize]);
            let request = Request {
                first: merge(&x.first, &y.first, i64::min),
                end: merge(&x.end, &y.end, i64::max),
                raw: merge(&x.raw, &y.raw, i64::max),
            };
            request.if_even(tracks.fold)
        });
        let id = self.intern_request(request);
        self.unions.insert(key, id);
        id
    }

    /// The track of a tensor whose readers need `request` of a dimension of `size` elements. With `all`, every element is
    /// needed in some tile, as it is read outside of the group.
    pub fn resolve(&mut self, request: u32, size: i64, all: bool) -> u32 {
        if let Some(&known) = self.finals.get(&(request, size, all)) {
            return known;
        }
        let track = self.until_even(|tracks| {
            let (fold, wanted) = (tracks.fold, &tracks.requests[request as usize]);
            if tracks.is_cached() {
                advance(fold, wanted, (size, all), tracks.cut.runs_ahead())
            } else {
                each_alone(fold, wanted, (size, all), tracks.is_shifted())
            }
        });
        let id = self.intern_track(track);
        self.finals.insert((request, size, all), id);
        id
    }

    fn intern_track(&mut self, track: Track) -> u32 {
        let key = key_of_track(&track);
        let known = self.tracks.len();
        let number = intern(&mut self.tracks, self.known_tracks.entry(key).or_default(), track);
        if number as usize == known {
            let track = &self.tracks[known];
            self.above.push(track.tile_above(&self.ends_and_middle).filter(|_| self.is_cached()));
        }
        number
    }

    fn intern_request(&mut self, request: Request) -> u32 {
        let key = key_of_request(&request);
        intern(&mut self.requests, self.known_requests.entry(key).or_default(), request)
    }
}

/// A few of the values of a track.
fn key_of_track(track: &Track) -> Key {
    let middle = track.new[track.new.len() / 2];
    (middle.0, middle.1, track.total, track.largest)
}

/// A few of the values of a request.
fn key_of_request(request: &Request) -> Key {
    let middle = request.end.len() / 2;
    let ends = (request.end[0], request.end[request.end.len() - 1]);
    (request.first[middle], request.end[middle], ends.0, ends.1)
}

type Key = (i64, i64, i64, i64);

/// Numbers by a few of the values of what they stand for.
type Known = FxHashMap<Key, Vec<u32>>;

/// The number of what is equal to `new`, which is added if there is none.
fn intern<T: PartialEq>(all: &mut Vec<T>, known: &mut Vec<u32>, new: T) -> u32 {
    if let Some(&number) = known.iter().find(|&&number| all[number as usize] == new) {
        return number;
    }
    let number = all.len() as u32;
    all.push(new);
    known.push(number);
    number
}

/// A front that only moves forward: every index is computed once.
fn advance(
    fold: Fold,
    wanted: &Request,
    (size, all): (i64, bool),
    runs_ahead: bool,
) -> Result<Track, Uneven> {
    let tiles = wanted.end.len();
    let needed = wanted.end.iter().copied().max().unwrap_or(NO_END);
    let first = wanted.first.iter().copied().min().unwrap_or(NOTHING);
    let (start, end) = if all { (0, size) } else { (first.min(needed.max(0)), needed.max(0)) };
    let mut front = start;
    let mut new: Vec<(i64, i64)> = Vec::with_capacity(tiles);
    for tile in 0..tiles {
        if tile == fold.resumes_at() {
            front += fold.periods_left_out() * (front - new[tile - 1 - fold.period()].1);
        }
        let mut target = wanted.end[tile];
        if runs_ahead {
            target = target.max(wanted.raw[tile]);
        }
        if tile + 1 == tiles {
            target = end;
        }
        let next = target.clamp(front, end.max(front));
        new.push((front, next));
        front = next;
    }
    let mut keep = Vec::with_capacity(tiles + 1);
    keep.extend_from_slice(&wanted.first);
    keep.push(NOTHING);
    let behind_middle = fold.resumes_at() + 2 * fold.period();
    let is_at_end = fold.is_folded() && new[behind_middle - 1].1 == end;
    let track = Track::of(fold, new, keep, wanted.raw.clone())?;
    // A front that stops at the end may do so where it is looked at by chance.
    if is_at_end && track.step() != 0 { Err(Uneven::Wider) } else { Ok(track) }
}

/// Each tile computes what it needs; if they are `shifted`, as much as the largest.
fn each_alone(
    fold: Fold,
    wanted: &Request,
    (size, all): (i64, bool),
    shifted: bool,
) -> Result<Track, Uneven> {
    let tiles = wanted.end.len();
    let mut new = Vec::with_capacity(tiles);
    let mut front = 0;
    let mut fronts: Vec<i64> = Vec::new();
    for tile in 0..tiles {
        if tile == fold.resumes_at() {
            front += fold.periods_left_out() * (front - fronts[tile - 1 - fold.period()]);
        }
        let (first, end) = (wanted.first[tile], wanted.end[tile]);
        let mut range =
            if first == NOTHING || end <= first { (front, front) } else { (first, end) };
        if all {
            range.0 = range.0.min(front);
            range.1 = range.1.max(front);
            if tile + 1 == tiles {
                range.1 = size;
            }
        }
        front = front.max(range.1);
        if fold.is_folded() {
            fronts.push(front);
        }
        new.push(range);
    }
    fold.step_of(&fronts, None)?;
    if shifted {
        shift(&mut new, size);
    }
    Track::of(fold, new, Vec::new(), Vec::new())
}

/// Makes all ranges within `size` elements as long as the longest, unless one has nothing.
fn shift(ranges: &mut [(i64, i64)], size: i64) {
    let longest = ranges.iter().map(|(start, end)| end - start).max().unwrap_or(0);
    if ranges.iter().all(|(start, end)| start < end) {
        for range in ranges {
            let start = range.0.min(size - longest);
            *range = (start, start + longest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cut::{Cut, Halo};
    use super::super::fold::Fold;
    use super::super::track::LARGEST;
    use super::{Line, Tracks};
    use proptest::prelude::*;

    /// What is asked of a table, by places in what was found before.
    #[derive(Clone, Debug)]
    enum Step {
        /// What a line of a track reads, of a tensor of about as many elements, and so many more or fewer.
        Request {
            track: usize,
            line: Line,
            more: i64,
        },
        Union {
            one: usize,
            other: usize,
        },
        Resolve {
            request: usize,
            all: bool,
        },
    }

    fn line() -> impl Strategy<Value = Line> {
        let numbers = (1_i64..4, 1_i64..4, -6_i64..6, 0_i64..5);
        numbers.prop_map(|(coefficient, divisor, low, reach)| Line {
            coefficient,
            divisor,
            low,
            high: low + reach,
        })
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (any::<usize>(), line(), -40_i64..40).prop_map(|(track, line, more)| Step::Request {
                track,
                line,
                more
            }),
            (any::<usize>(), any::<usize>()).prop_map(|(one, other)| Step::Union { one, other }),
            (any::<usize>(), any::<bool>())
                .prop_map(|(request, all)| Step::Resolve { request, all }),
        ]
    }

    fn cut() -> impl Strategy<Value = Cut> {
        let halo = prop_oneof![Just(Halo::Cache), Just(Halo::Recompute), Just(Halo::Shift)];
        (256_i64..900, 1_i64..4, 0_i64..6, 0..4_usize, 0..4_usize, halo).prop_map(
            |(tiles, size, lead, head, tail, halo)| {
                let extent = tiles * size - size / 2;
                Cut::with_lead(extent, size, halo, lead).with_merged(head + 1, tail + 1)
            },
        )
    }

    /// The same of all tiles, as numbers.
    fn all_of(tracks: &Tracks, track: u32) -> Vec<i64> {
        let of = tracks.get(track);
        let mut all = vec![of.kinds(), of.busy_kinds(), of.total(), of.longest(), of.reach()];
        all.extend([of.widest_overlap(), i64::from(of.has_overlap()), of.size(LARGEST)]);
        for (tile, (start, end)) in of.ranges().enumerate() {
            let ((first, last), kind) = (of.window(tile), of.kind(tile));
            assert_eq!(of.range(tile), (start, end));
            all.extend([start, end, first, last, kind.0, kind.1, kind.2]);
            all.extend([of.length(tile), of.size(tile), of.overlap(tile)]);
        }
        all.extend(of.keeps());
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// What a table says of tiles does not depend on which of them are known.
        #[test]
        fn tiles_that_are_not_known_follow(
            cut in cut(),
            steps in prop::collection::vec(step(), 1..24),
        ) {
            let mut folded = Tracks::new(cut);
            let mut plain = Tracks::new(cut);
            plain.fold = Fold::all(cut.tiles());
            let mut tracks = vec![(folded.root(), plain.root())];
            let mut requests = Vec::new();
            requests.push((cut.extent, folded.request_of_cut(), plain.request_of_cut()));
            let mut extents = vec![cut.extent];
            for step in steps {
                match step {
                    Step::Request { track, line, more } => {
                        let place = track % tracks.len();
                        let (a, b) = tracks[place];
                        let size = (line.end(extents[place]) + more).max(1);
                        let pair = (folded.request(a, line, size), plain.request(b, line, size));
                        requests.push((size, pair.0, pair.1));
                    }
                    Step::Union { one, other } => {
                        let (size, a, b) = requests[one % requests.len()];
                        let (_, c, d) = requests[other % requests.len()];
                        requests.push((size, folded.union(a, c), plain.union(b, d)));
                    }
                    Step::Resolve { request, all } => {
                        let (size, a, b) = requests[request % requests.len()];
                        tracks.push((folded.resolve(a, size, all), plain.resolve(b, size, all)));
                        extents.push(size);
                    }
                }
                let &(a, b) = tracks.last().expect("one at least");
                prop_assert_eq!(all_of(&folded, a), all_of(&plain, b));
            }
            for (a, b) in tracks {
                prop_assert_eq!(all_of(&folded, a), all_of(&plain, b));
            }
        }
    }
}
