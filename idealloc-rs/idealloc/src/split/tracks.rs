//! What follows from a cut for the tensors and loops of a group: a track for each.

use rustc_hash::FxHashMap;

use super::cut::{Cut, Halo};
use super::track::{NOTHING, Track};

/// What readers of a tensor need of one dimension in each tile.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    /// First index needed in this tile or later (cached), or in this tile; `NOTHING` for none.
    first: Vec<i64>,
    /// One past the last index needed in this tile; -1 for none.
    end: Vec<i64>,
    raw: Vec<i64>,
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
        -(-self.coefficient * start - self.low).div_euclid(self.divisor)
    }

    /// One more than the last index to where the loop ends; it may lie behind the dimension.
    pub fn end(&self, end: i64) -> i64 {
        (self.coefficient * (end - 1) + self.high).div_euclid(self.divisor) + 1
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
#[derive(Debug)]
pub struct Tracks {
    /// The cut.
    pub cut: Cut,
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

impl Tracks {
    /// The table of a cut, with nothing in it.
    pub fn new(cut: Cut) -> Self {
        Self {
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
        let clamp = |p: i64| p.clamp(0, self.cut.extent);
        let positions = self.cut.positions();
        let mut new: Vec<_> = positions.windows(2).map(|w| (clamp(w[0]), clamp(w[1]))).collect();
        if self.is_shifted() {
            shift(&mut new, self.cut.extent);
        }
        let raw = positions[1..].to_vec();
        let (keep, raw) = if self.is_cached() {
            (vec![NOTHING; new.len() + 1], raw)
        } else {
            (Vec::new(), Vec::new())
        };
        let root = self.intern_track(Track::of(new, keep, raw));
        self.root = Some(root);
        root
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
        let reader = &self.tracks[track as usize];
        let first = |start: i64| line.first(start).clamp(0, size);
        let last = |end: i64| line.end(end);
        let request = self.request_by(reader, first, |end| last(end).clamp(0, size), last);
        let id = self.intern_request(request);
        self.lines.insert((track, line, size), id);
        id
    }

    /// What a reader of a reshaped tensor needs of one of its dimensions, and whether each tile needs one index of it.
    pub fn request_through(&mut self, track: u32, strides: Strides) -> (Asked, bool) {
        if let Some(&known) = self.through.get(&(track, strides)) {
            return known;
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
                let request = self.request_by(reader, first, end, raw);
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
    ) -> Request {
        let done = reader.new.last().map_or(0, |range| range.1);
        let cached = self.is_cached();
        let tiles = reader.new.len();
        let room = || Vec::with_capacity(tiles);
        let raw_room = if cached { room() } else { Vec::new() };
        let mut request = Request { first: room(), end: room(), raw: raw_room };
        for (tile, &(from, to)) in reader.new.iter().enumerate() {
            let reads = from < to;
            let needs = if cached { from < done } else { reads };
            let last = if reads { end(to) } else { -1 };
            let start = if needs { first(from) } else { NOTHING };
            // Clipped to nothing: this tile lies in padding, or in another part of a concatenation.
            let is_empty = !cached && reads && last <= start;
            request.first.push(if is_empty { NOTHING } else { start });
            request.end.push(if is_empty { -1 } else { last });
            if cached {
                request.raw.push(raw(reader.raw[tile]));
            }
        }
        request
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
        let (x, y) = (&self.requests[a as usize], &self.requests[b as usize]);
        let merge = |x: &[i64], y: &[i64], pick: fn(i64, i64) -> i64| {
            x.iter().zip(y).map(|(&p, &q)| pick(p, q)).collect::<Vec<_>>()
        };
        let request = Request {
            first: merge(&x.first, &y.first, i64::min),
            end: merge(&x.end, &y.end, i64::max),
            raw: merge(&x.raw, &y.raw, i64::max),
        };
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
        let wanted = &self.requests[request as usize];
        let track = if self.is_cached() {
            advance(wanted, size, all, self.cut.runs_ahead())
        } else {
            each_alone(wanted, size, all, self.is_shifted())
        };
        let id = self.intern_track(track);
        self.finals.insert((request, size, all), id);
        id
    }

    fn intern_track(&mut self, track: Track) -> u32 {
        let middle = track.new.len() / 2;
        let key = (track.new[middle].0, track.new[middle].1, track.total, track.largest);
        let known = self.tracks.len();
        let number = intern(&mut self.tracks, self.known_tracks.entry(key).or_default(), track);
        if number as usize == known {
            let track = &self.tracks[known];
            self.above.push(track.tile_above(&self.ends_and_middle).filter(|_| self.is_cached()));
        }
        number
    }

    fn intern_request(&mut self, request: Request) -> u32 {
        let middle = request.end.len() / 2;
        let ends = (request.end[0], request.end[request.end.len() - 1]);
        let key = (request.first[middle], request.end[middle], ends.0, ends.1);
        intern(&mut self.requests, self.known_requests.entry(key).or_default(), request)
    }
}

/// Numbers by a few of the values of what they stand for.
type Known = FxHashMap<(i64, i64, i64, i64), Vec<u32>>;

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
fn advance(wanted: &Request, size: i64, all: bool, runs_ahead: bool) -> Track {
    let tiles = wanted.end.len();
    let needed = wanted.end.iter().copied().max().unwrap_or(-1);
    let first = wanted.first.iter().copied().min().unwrap_or(NOTHING);
    let (start, end) = if all { (0, size) } else { (first.min(needed.max(0)), needed.max(0)) };
    let mut front = start;
    let mut new = Vec::with_capacity(tiles);
    for tile in 0..tiles {
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
    Track::of(new, keep, wanted.raw.clone())
}

/// Each tile computes what it needs; if they are `shifted`, as much as the largest.
fn each_alone(wanted: &Request, size: i64, all: bool, shifted: bool) -> Track {
    let tiles = wanted.end.len();
    let mut new = Vec::with_capacity(tiles);
    let mut front = 0;
    for tile in 0..tiles {
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
        new.push(range);
    }
    if shifted {
        shift(&mut new, size);
    }
    Track::of(new, Vec::new(), Vec::new())
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
