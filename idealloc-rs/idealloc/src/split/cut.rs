//! How a loop of a group's last operator is cut, and what follows for other tensors: ranges per tile.

use rustc_hash::FxHashMap;

/// What a cut does with elements that two tiles need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Halo {
    /// Each tile computes all that it needs.
    Recompute,
    /// A tile keeps what the next one needs again: every element is computed once.
    Cache,
}

/// A loop cut into tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cut {
    /// Iterations per tile; the last one may be smaller.
    pub size: i64,
    /// Tiles before the first. They compute nothing of the last operator: in them earlier operators run ahead.
    pub lead: i64,
    /// Iterations of the loop.
    pub extent: i64,
    /// What happens between neighbours.
    pub halo: Halo,
    /// Number of tiles, which is asked for all the time.
    tiles: usize,
}

impl Cut {
    /// Tiles of `size` iterations; the last one may be smaller.
    pub fn even(extent: i64, size: i64, halo: Halo) -> Self {
        Self::with_lead(extent, size, halo, 0)
    }

    /// The same with `lead` tiles before the first in which earlier operators run ahead.
    pub fn with_lead(extent: i64, size: i64, halo: Halo, lead: i64) -> Self {
        let tiles = ((extent + size - 1) / size + lead) as usize;
        Self { size, lead, extent, halo, tiles }
    }

    /// Whether earlier operators advance evenly instead of by what is needed at once.
    pub fn runs_ahead(&self) -> bool {
        self.lead > 0
    }

    /// Number of tiles, those that run ahead among them.
    pub fn tiles(&self) -> usize {
        self.tiles
    }

    /// Where tiles begin and end, one more than there are tiles; negative where they are before the first.
    fn positions(self) -> Vec<i64> {
        let tiles = self.tiles() as i64;
        (0..=tiles).map(|t| ((t - self.lead) * self.size).min(self.extent)).collect()
    }

    /// Tiles that stand for all: the ends and the middle; all where they are few.
    fn ends_and_middle(&self) -> Vec<usize> {
        let n = self.tiles();
        if n <= 6 {
            return (0..n).collect();
        }
        let mut tiles = vec![0, 1, 2, n / 2, n - 2, n - 1];
        if self.runs_ahead() {
            tiles.extend([n / 4, n / 3, n * 3 / 4, n - 3]);
            tiles.sort_unstable();
            tiles.dedup();
        }
        tiles
    }
}

/// Nothing is kept.
pub const NOTHING: i64 = i64::MAX;

/// Stands for the largest tile of a cut.
pub const LARGEST: usize = usize::MAX;

/// The range of one dimension of a tensor, or of one loop, in each tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// What a tile computes or fetches: `[start, end)`, empty where both are equal.
    pub new: Vec<(i64, i64)>,
    /// For each tile, and once after the last, the first index that is still needed then; with `Halo::Cache` only.
    pub keep: Vec<i64>,
    largest: i64,
    total: i64,
    reach: i64,
    has_overlap: bool,
    kinds: i64,
    /// Where the tile would end if the tensor had no ends; with `Halo::Cache` only.
    raw: Vec<i64>,
}

impl Track {
    fn of(new: Vec<(i64, i64)>, keep: Vec<i64>, raw: Vec<i64>) -> Self {
        let total = new.iter().map(|r| r.1 - r.0).sum();
        let busy = || new.iter().filter(|r| r.0 < r.1);
        let first = busy().map(|r| r.0).min().unwrap_or(0);
        let reach = busy().map(|r| r.1).max().unwrap_or(0) - first;
        let mut track =
            Self { new, keep, largest: 0, total, reach, has_overlap: false, kinds: 0, raw };
        track.largest = (0..track.new.len()).map(|tile| track.size(tile)).max().unwrap_or(0);
        track.has_overlap = (1..track.new.len()).any(|tile| track.overlap(tile) > 0);
        let mut kinds: Vec<_> = (0..track.new.len()).map(|tile| track.kind(tile)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        track.kinds = kinds.len() as i64;
        track
    }

    /// What must be equal for two tiles to be alike: elements computed, and kept before and after.
    pub(super) fn kind(&self, tile: usize) -> (i64, i64, i64) {
        let after = if tile + 1 < self.new.len() { self.overlap(tile + 1) } else { 0 };
        (self.length(tile), self.overlap(tile), after)
    }

    /// Tiles of which no two are alike.
    pub fn kinds(&self) -> i64 {
        self.kinds
    }

    /// Elements computed in all tiles.
    pub fn total(&self) -> i64 {
        self.total
    }

    /// Elements computed in a tile.
    pub fn length(&self, tile: usize) -> i64 {
        self.new[tile].1 - self.new[tile].0
    }

    /// Elements that can be read in a tile, or in the largest one.
    pub fn size(&self, tile: usize) -> i64 {
        if tile == LARGEST {
            return self.largest;
        }
        let (start, end) = self.window(tile);
        (end - start).max(0)
    }

    /// The range that can be read in a tile: what was kept, and what is new.
    pub fn window(&self, tile: usize) -> (i64, i64) {
        let (start, end) = self.new[tile];
        match self.keep.get(tile) {
            Some(&keep) if start < end => (keep.min(start), end),
            Some(&keep) if keep != NOTHING => (keep.min(end), end),
            _ => (start, end),
        }
    }

    /// Elements kept from before a tile for it and later ones.
    pub fn overlap(&self, tile: usize) -> i64 {
        match self.keep.get(tile) {
            Some(&keep) if tile > 0 && keep != NOTHING => (self.new[tile - 1].1 - keep).max(0),
            _ => 0,
        }
    }

    /// Whether anything is kept between tiles.
    pub fn has_overlap(&self) -> bool {
        self.has_overlap
    }

    /// A tile in which more can be read than in any of `tiles`, or more is kept for later ones; none if there is none.
    fn tile_above(&self, tiles: &[usize]) -> Option<usize> {
        let above = |of: &dyn Fn(usize) -> i64| {
            let known = tiles.iter().map(|&tile| of(tile)).max()?;
            let widest =
                (0..self.new.len()).max_by_key(|&tile| (of(tile), std::cmp::Reverse(tile)))?;
            (of(widest) > known).then_some(widest)
        };
        above(&|tile| self.size(tile)).or_else(|| above(&|tile| self.overlap(tile + 1)))
    }

    /// From the first element that any tile computes to the last.
    pub fn reach(&self) -> i64 {
        self.reach
    }
}

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
    /// Tiles that stand for all where tensors follow the cut evenly, and those in which some take more room than in any of
    /// these: rows of a tensor in windows, two of which a tile needs now and then.
    sample: Vec<usize>,
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
            sample: cut.ends_and_middle(),
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

    /// Tiles that stand for all when room is counted, ascending.
    pub fn sample(&self) -> &[usize] {
        &self.sample
    }

    /// Whether tiles keep what the next one needs.
    pub fn is_cached(&self) -> bool {
        self.cut.halo == Halo::Cache
    }

    /// The track of the loop that is cut.
    pub fn root(&mut self) -> u32 {
        if let Some(known) = self.root {
            return known;
        }
        let clamp = |p: i64| p.clamp(0, self.cut.extent);
        let positions = self.cut.positions();
        let new: Vec<_> = positions.windows(2).map(|w| (clamp(w[0]), clamp(w[1]))).collect();
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

    /// What a reader with loop range `track` needs of a dimension of `size` elements.
    pub fn request(&mut self, track: u32, line: Line, size: i64) -> u32 {
        if let Some(&known) = self.lines.get(&(track, line, size)) {
            return known;
        }
        let reader = &self.tracks[track as usize];
        let last =
            |end: i64| (line.coefficient * (end - 1) + line.high).div_euclid(line.divisor) + 1;
        let first = |start: i64| {
            let sum = line.coefficient * start + line.low;
            (-(-sum).div_euclid(line.divisor)).clamp(0, size)
        };
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
        // Heads of which each tile has one: all need the same.
        let asked = match range.filter(|_| is_same) {
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
        let mut request = Request { first: Vec::new(), end: Vec::new(), raw: Vec::new() };
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
            each_alone(wanted, size, all)
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
        if number as usize == known
            && self.is_cached()
            && let Some(tile) = self.tracks[known].tile_above(&self.sample)
            && let Err(place) = self.sample.binary_search(&tile)
        {
            self.sample.insert(place, tile);
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
    let mut keep = wanted.first.clone();
    keep.push(NOTHING);
    Track::of(new, keep, wanted.raw.clone())
}

/// Each tile computes what it needs.
fn each_alone(wanted: &Request, size: i64, all: bool) -> Track {
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
    Track::of(new, Vec::new(), Vec::new())
}
