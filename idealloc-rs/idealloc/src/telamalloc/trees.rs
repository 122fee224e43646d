//! The learned model (section 6.5): an ensemble of regression trees as a table.
//!
//! Trees are complete: each row takes as many comparisons in each tree, without a branch to be predicted. The table is
//! text. After the first line `telamalloc targets 1` a line begins with a word: `made` (what made it, for people),
//! `features` (their names), `depth` (comparisons in a tree), `tree` (`feature:threshold` for each inner node, from the
//! root down and from left to right, then the values of the leaves; a value above the threshold goes right).

use std::sync::OnceLock;

use super::features::{NAMES, Row, WIDTH};

/// The table made by `make train-telamalloc`.
const TABLE: &str = include_str!("targets.txt");

/// Deepest trees, so that tables stay small.
const MOST_DEPTH: usize = 8;

/// An ensemble of complete trees; the score of a row is the sum of one leaf of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trees {
    depth: usize,
    /// Inner nodes of all trees, each tree from the root down.
    nodes: Vec<Node>,
    leaves: Vec<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    threshold: f32,
    feature: u32,
}

impl Trees {
    /// The ensemble that comes with the planner.
    pub fn built_in() -> &'static Self {
        static TREES: OnceLock<Trees> = OnceLock::new();
        // A test holds that the table can be read. Without trees all targets score the same.
        TREES.get_or_init(|| Self::read(TABLE).unwrap_or_default())
    }

    /// Reads a table.
    ///
    /// # Errors
    /// What is wrong with it, and in which line.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut trees = Self::default();
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, line)| line) != Some("telamalloc targets 1") {
            return Err("the first line is not 'telamalloc targets 1'".to_owned());
        }
        let mut named = false;
        for (at, line) in lines {
            let wrong = |what: &str| format!("line {}: {what}", at + 1);
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "made" | "" => {}
                "features" if rest.split(' ').eq(NAMES) => named = true,
                "features" => {
                    return Err(wrong(&format!("features are not '{}'", NAMES.join(" "))));
                }
                "depth" => {
                    trees.depth = (rest.parse().ok())
                        .filter(|depth| (1..=MOST_DEPTH).contains(depth))
                        .ok_or_else(|| wrong(&format!("no depth from 1 to {MOST_DEPTH}")))?;
                }
                "tree" if trees.depth > 0 && named => {
                    trees.add(rest).ok_or_else(|| wrong("not a complete tree"))?;
                }
                "tree" => return Err(wrong("a tree before 'features' and 'depth'")),
                other => return Err(wrong(&format!("'{other}' is not known"))),
            }
        }
        if trees.nodes.is_empty() { Err("no tree".to_owned()) } else { Ok(trees) }
    }

    /// Adds the tree of one line; `None` if it is not complete.
    fn add(&mut self, line: &str) -> Option<()> {
        let inner = (1 << self.depth) - 1;
        let words: Vec<&str> = line.split(' ').collect();
        if words.len() != 2 * inner + 1 {
            return None;
        }
        for word in &words[..inner] {
            let (feature, threshold) = word.split_once(':')?;
            let feature: u32 = feature.parse().ok().filter(|&f| (f as usize) < NAMES.len())?;
            let threshold: f32 = threshold.parse().ok().filter(|value: &f32| !value.is_nan())?;
            self.nodes.push(Node { threshold, feature });
        }
        for word in &words[inner..] {
            self.leaves.push(word.parse().ok().filter(|value: &f32| value.is_finite())?);
        }
        Some(())
    }

    /// Scores each row: more is better.
    ///
    /// Complexity: the depth of a tree for each row and tree.
    pub fn score(&self, rows: &[Row], scores: &mut Vec<f32>) {
        scores.clear();
        scores.resize(rows.len(), 0.0);
        let (inner, outer) = ((1 << self.depth) - 1, 1 << self.depth);
        let trees = self.nodes.chunks_exact(inner.max(1)).zip(self.leaves.chunks_exact(outer));
        // Tree by tree, as the table is larger than what a search leaves of the nearest cache.
        for (nodes, leaves) in trees {
            for (rows, scores) in rows.chunks(LANES).zip(scores.chunks_mut(LANES)) {
                // Lanes without a row follow the last one.
                let row = |lane: usize| &rows[lane.min(rows.len() - 1)];
                let rows: [&Row; LANES] = std::array::from_fn(row);
                let mut at = [0; LANES];
                for _ in 0..self.depth {
                    for (at, row) in at.iter_mut().zip(rows) {
                        let node = nodes[*at];
                        let right = row[node.feature as usize % WIDTH] > node.threshold;
                        *at = 2 * *at + 1 + usize::from(right);
                    }
                }
                for (score, at) in scores.iter_mut().zip(at) {
                    *score += leaves[at - inner];
                }
            }
        }
    }
}

/// Rows that go down a tree side by side, so that none waits for what another one reads.
const LANES: usize = 4;

#[cfg(test)]
mod tests {
    use super::{NAMES, Row, TABLE, Trees, WIDTH};

    fn table(lines: &str) -> String {
        format!("telamalloc targets 1\nmade by hand\nfeatures {}\n{lines}", NAMES.join(" "))
    }

    fn row(first: f32, second: f32) -> Row {
        let mut row = [0.0; WIDTH];
        (row[0], row[1]) = (first, second);
        row
    }

    #[test]
    fn a_row_takes_one_leaf_of_each_tree() {
        let trees =
            Trees::read(&table("depth 2\ntree 0:1 1:5 1:7 10 20 30 40\ntree 0:0 0:0 0:0 1 1 1 2"))
                .expect("a table");
        let mut scores = Vec::new();
        trees.score(&[row(1.0, 5.0), row(1.0, 5.5), row(1.5, 7.0), row(2.0, 8.0)], &mut scores);
        assert_eq!(scores, [12.0, 22.0, 32.0, 42.0]);
        trees.score(&[row(-1.0, 0.0)], &mut scores);
        assert_eq!(scores, [11.0]);
    }

    #[test]
    fn the_built_in_table_can_be_read() {
        assert_eq!(Trees::read(TABLE).as_ref(), Ok(Trees::built_in()));
        assert!(TABLE.len() < 64 << 10, "{} bytes", TABLE.len());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, said) in [
            ("x".to_owned(), "first line"),
            (table("depth 9"), "line 4: no depth"),
            (table("depth 1\ntree 0:1 2"), "line 5: not a complete tree"),
            (table("depth 1\ntree 18:1 2 3"), "line 5"),
            (table("depth 1\ntree 0:x 2 3"), "line 5"),
            (table("depth 1\ntree 0:1 2 nan"), "line 5"),
            (table("tree 0:1 2 3"), "line 4: a tree before"),
            (table("forest"), "line 4: 'forest'"),
            (table("depth 1"), "no tree"),
            ("telamalloc targets 1\nfeatures size".to_owned(), "line 2: features"),
        ] {
            let error = Trees::read(&text).expect_err(&text);
            assert!(error.contains(said), "{error}");
        }
    }
}
