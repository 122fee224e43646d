//! Positions that orders of stays imply: longest chains of what lies below and above each.

/// `lower` lies below `upper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Below {
    pub lower: u32,
    pub upper: u32,
    /// Who says so; given back in explanations.
    pub because: u32,
}

/// A longest chain on one side of a stay, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    bytes: u64,
    /// The edge next to the stay: an index into the edges.
    edge: Option<u32>,
}

/// Something to take back.
#[derive(Clone, Copy, Debug)]
struct Change {
    stay: u32,
    is_above: bool,
    old: Chain,
}

/// Edges and the chains that follow from them, undone in reverse.
#[derive(Clone, Debug)]
pub(super) struct Heights {
    sizes: Vec<u64>,
    capacity: u64,
    edges: Vec<Below>,
    /// Edges with the stay as the lower end, and as the upper end.
    up: Vec<Vec<u32>>,
    down: Vec<Vec<u32>>,
    /// Longest chains strictly below and strictly above each stay.
    below: Vec<Chain>,
    above: Vec<Chain>,
    changes: Vec<Change>,
    /// Number of changes before each edge.
    marks: Vec<usize>,
}

impl Heights {
    pub fn new(sizes: Vec<u64>, capacity: u64) -> Self {
        let n = sizes.len();
        Self {
            sizes,
            capacity,
            edges: Vec::new(),
            up: vec![Vec::new(); n],
            down: vec![Vec::new(); n],
            below: vec![Chain::default(); n],
            above: vec![Chain::default(); n],
            changes: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Lowest position of a stay.
    pub fn position(&self, stay: u32) -> u64 {
        self.below[stay as usize].bytes
    }

    /// Whether one stay can lie below another, as far as is known.
    pub fn allows(&self, lower: u32, upper: u32) -> bool {
        let (l, u) = (lower as usize, upper as usize);
        self.below[l].bytes + self.sizes[l] + self.sizes[u] + self.above[u].bytes <= self.capacity
    }

    /// Who says what rules out that `lower` lies below `upper`, see [`Self::allows`].
    pub fn explain(&self, lower: u32, upper: u32) -> Vec<u32> {
        let mut because = self.reasons(lower, false);
        because.extend(self.reasons(upper, true));
        because
    }

    /// Adds an edge; `touched` gets the stays whose chains have grown. Fails with who says what cannot all be.
    pub fn add(&mut self, edge: Below, touched: &mut Vec<u32>) -> Result<(), Vec<u32>> {
        self.marks.push(self.changes.len());
        let index = self.edges.len() as u32;
        self.edges.push(edge);
        self.up[edge.lower as usize].push(index);
        self.down[edge.upper as usize].push(index);
        if !self.allows(edge.lower, edge.upper) {
            let mut because = self.explain(edge.lower, edge.upper);
            because.push(edge.because);
            return Err(because);
        }
        self.grow(index, false, touched)?;
        self.grow(index, true, touched)
    }

    /// Takes the last edge back.
    pub fn undo(&mut self) {
        if let (Some(edge), Some(mark)) = (self.edges.pop(), self.marks.pop()) {
            self.up[edge.lower as usize].pop();
            self.down[edge.upper as usize].pop();
            while self.changes.len() > mark {
                if let Some(Change { stay, is_above, old }) = self.changes.pop() {
                    let side = if is_above { &mut self.above } else { &mut self.below };
                    side[stay as usize] = old;
                }
            }
        }
    }

    /// Carries a new edge on: upwards over what lies below, or downwards over what lies above.
    fn grow(&mut self, edge: u32, is_above: bool, touched: &mut Vec<u32>) -> Result<(), Vec<u32>> {
        let Below { lower, upper, .. } = self.edges[edge as usize];
        let (start, next) = if is_above { (upper, lower) } else { (lower, upper) };
        let mut open = vec![edge];
        while let Some(index) = open.pop() {
            let Below { lower, upper, .. } = self.edges[index as usize];
            let (from, to) = if is_above { (upper, lower) } else { (lower, upper) };
            if to == start {
                return Err(self.cycle(index, from, next, edge, is_above));
            }
            let side = if is_above { &self.above } else { &self.below };
            let bytes = side[from as usize].bytes + self.sizes[from as usize];
            let old = side[to as usize];
            if bytes <= old.bytes {
                continue;
            }
            self.changes.push(Change { stay: to, is_above, old });
            let side = if is_above { &mut self.above } else { &mut self.below };
            side[to as usize] = Chain { bytes, edge: Some(index) };
            touched.push(to);
            let (b, a) = (self.below[to as usize].bytes, self.above[to as usize].bytes);
            if b + self.sizes[to as usize] + a > self.capacity {
                let mut because = self.reasons(to, false);
                because.extend(self.reasons(to, true));
                return Err(because);
            }
            let next = if is_above { &self.down } else { &self.up };
            open.extend_from_slice(&next[to as usize]);
        }
        Ok(())
    }

    /// Who says what closes a cycle: `last` leads from a stay to where the growth from `first` to `next` began.
    fn cycle(&self, last: u32, mut stay: u32, next: u32, first: u32, is_above: bool) -> Vec<u32> {
        let mut because = vec![self.edges[last as usize].because];
        let side = if is_above { &self.above } else { &self.below };
        while stay != next {
            let Some(index) = side[stay as usize].edge else { break };
            let edge = self.edges[index as usize];
            because.push(edge.because);
            stay = if is_above { edge.upper } else { edge.lower };
        }
        because.push(self.edges[first as usize].because);
        because
    }

    fn reasons(&self, mut stay: u32, is_above: bool) -> Vec<u32> {
        let mut because = Vec::new();
        let side = if is_above { &self.above } else { &self.below };
        while let Some(index) = side[stay as usize].edge {
            let edge = self.edges[index as usize];
            because.push(edge.because);
            stay = if is_above { edge.upper } else { edge.lower };
        }
        because
    }
}
