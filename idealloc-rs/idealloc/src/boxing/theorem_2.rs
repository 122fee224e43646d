//! Theorem 2: unit jobs into boxes, recursively between critical points.

use super::colouring::by_row;
use super::job::Job;
use super::lemma_1::lemma_1;
use crate::random::{Random, scramble};

/// One draw of a critical point.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// Whose points it is drawn from.
    pub key: u64,
    /// Where among them, in parts of 2^32.
    pub at: u32,
    /// How many there are.
    pub points: usize,
}

/// Draws the random critical points, and remembers where. One per plan.
///
/// A point depends on the seed and on whose points it is drawn from, not on what was drawn before. So one draw can be made
/// anew while all others that still happen stay as they are.
#[derive(Debug)]
pub struct Chooser<'a> {
    seed: u64,
    /// Draws made anew.
    redrawn: &'a [Draw],
    drawn: Vec<Draw>,
}

impl<'a> Chooser<'a> {
    /// Everything is drawn by the seed, but for what is redrawn.
    pub fn new(seed: u64, redrawn: &'a [Draw]) -> Self {
        Self { seed, redrawn, drawn: Vec::new() }
    }

    /// All draws, in order.
    pub fn into_drawn(self) -> Vec<Draw> {
        self.drawn
    }

    /// One of these points, ascending.
    fn pick(&mut self, points: &[u32], shape: BoxShape) -> Option<u32> {
        let (first, last) = (*points.first()?, *points.last()?);
        let span = u64::from(first) << 32 | u64::from(last);
        let key = [span, points.len() as u64, shape.size, shape.layers as u64]
            .into_iter()
            .fold(0, |key, part| scramble(key ^ part));
        let anew = self.redrawn.iter().find(|draw| draw.key == key);
        let at = anew.map_or_else(|| Random::new(self.seed ^ key).next() as u32, |draw| draw.at);
        self.drawn.push(Draw { key, at, points: points.len() });
        let at = (u64::from(at) * points.len() as u64) >> 32;
        points.get(at as usize).copied()
    }
}

/// Box height, in layers and in bytes.
#[derive(Clone, Copy, Debug)]
pub struct BoxShape {
    /// Unit jobs that lie on one another.
    pub layers: usize,
    /// Bytes.
    pub size: u64,
    /// The epsilon of Lemma 1.
    pub epsilon: f64,
}

/// Theorem 2 of Buchsbaum et al.: packs jobs that count as one layer each into boxes.
///
/// The jobs that are live at a critical point are grouped so that each group shares an instant, and go through Lemma 1;
/// what is unresolved is coloured into rows, `layers` rows a box. The ends of the idle times in these rows are the critical
/// points of the recursion between the present ones. Complexity: `O(n log n)` a level, and `O(log n)` levels or so.
pub fn theorem_2(jobs: Vec<Job>, shape: BoxShape, chooser: &mut Chooser<'_>) -> Vec<Job> {
    let mut boxes = Vec::new();
    // Explicit stack: the recursion can be as deep as there are jobs.
    let mut pending = vec![(jobs, Vec::new())];
    while let Some((jobs, mut points)) = pending.pop() {
        let (Some(from), Some(to)) =
            (jobs.iter().map(|job| job.birth).min(), jobs.iter().map(|job| job.death).max())
        else {
            continue;
        };
        let meets = |point: u32| jobs.iter().any(|job| job.is_live(point));
        points.retain(|&point| from <= point && point < to);
        if !points.iter().any(|&point| meets(point)) {
            points.extend(random_point(&jobs, shape, chooser));
            points.sort_unstable();
        }
        points.dedup();
        let (crossing, gaps) = split(jobs, &points);
        let mut unresolved = Vec::new();
        for group in groups(crossing, &points) {
            let boxed = lemma_1(group, shape.layers, shape.size, shape.epsilon);
            boxes.extend(boxed.boxes);
            unresolved.extend(boxed.unresolved);
        }
        let rows = by_row(unresolved);
        let idle = idle_ends(&rows, from, to);
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let content: Vec<Job> = rows.by_ref().take(shape.layers.max(1)).flatten().collect();
            boxes.push(Job::around(content, shape.size));
        }
        for inside in gaps.into_iter().filter(|inside| !inside.is_empty()) {
            let first = inside.iter().map(|job| job.birth).min().unwrap_or(0);
            let last = inside.iter().map(|job| job.death).max().unwrap_or(0);
            let low = idle.partition_point(|&point| point < first);
            let high = idle.partition_point(|&point| point < last);
            pending.push((inside, idle[low..high].to_vec()));
        }
    }
    boxes
}

/// A section in which some job begins or ends, so that at least one is live.
fn random_point(jobs: &[Job], shape: BoxShape, chooser: &mut Chooser<'_>) -> Option<u32> {
    let mut points: Vec<u32> = jobs.iter().flat_map(|job| [job.birth, job.death - 1]).collect();
    points.sort_unstable();
    chooser.pick(&points, shape)
}

/// Jobs live at a point, and those between points, gap by gap.
fn split(jobs: Vec<Job>, points: &[u32]) -> (Vec<Job>, Vec<Vec<Job>>) {
    let mut crossing = Vec::new();
    let mut gaps = vec![Vec::new(); points.len() + 1];
    for job in jobs {
        let gap = points.partition_point(|&point| point < job.birth);
        if points.get(gap).is_some_and(|&point| job.is_live(point)) {
            crossing.push(job);
        } else {
            gaps[gap].push(job);
        }
    }
    (crossing, gaps)
}

/// Groups by bisection of the points, so that each shares an instant.
fn groups(jobs: Vec<Job>, points: &[u32]) -> Vec<Vec<Job>> {
    let mut found = Vec::new();
    let mut pending = vec![(jobs, 0, points.len())];
    while let Some((jobs, low, high)) = pending.pop() {
        if jobs.is_empty() || low >= high {
            continue;
        }
        let middle = low + (high - low) / 2;
        let point = points[middle];
        let (here, elsewhere): (Vec<Job>, Vec<Job>) =
            jobs.into_iter().partition(|job| job.is_live(point));
        let (before, after): (Vec<Job>, Vec<Job>) =
            elsewhere.into_iter().partition(|job| job.death <= point);
        if !here.is_empty() {
            found.push(here);
        }
        pending.push((after, middle + 1, high));
        pending.push((before, low, middle));
    }
    found
}

/// Where idle times of the rows begin and end, ascending.
fn idle_ends(rows: &[Vec<Job>], from: u32, to: u32) -> Vec<u32> {
    let mut ends = Vec::new();
    for row in rows {
        let mut last = from;
        for job in row {
            if job.birth > last {
                ends.extend([last, job.birth - 1]);
            }
            last = job.death;
        }
        if last < to {
            ends.extend([last, to - 1]);
        }
    }
    ends.sort_unstable();
    ends.dedup();
    ends
}
