//! minimalloc's CSV: one buffer a line, columns by name.

use crate::error::Error;
use crate::problem::{Problem, ProblemBuilder};

/// Reads buffers from CSV with the columns `lower`, `upper` (or `start`, `end`), `size`, and optionally `id`,
/// `alignment`, `offset` (fixed where not empty) and `gaps` (`a-b` joined by spaces). The builder is returned so that
/// memory can be added.
///
/// # Errors
/// [`Error::Parse`] with line and column.
pub fn read(text: &str) -> Result<ProblemBuilder, Error> {
    let mut lines = text.lines().enumerate();
    let Some((_, header)) = lines.next() else {
        return Err(wrong(1, 1, "no header; columns needed: lower, upper, size".to_owned()));
    };
    let names: Vec<String> =
        header.trim_start_matches('\u{feff}').split(',').map(|n| n.trim().to_lowercase()).collect();
    let find = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
    let need = |known: &[&str]| {
        find(known).ok_or_else(|| wrong(1, 1, format!("no column '{}'", known[0])))
    };
    let (lower, upper) = (need(&["lower", "start", "begin"])?, need(&["upper", "end"])?);
    let (size, alignment) = (need(&["size"])?, find(&["alignment"]));
    let (offset, gaps) = (find(&["offset"]), find(&["gaps"]));
    let mut builder = Problem::builder();
    for (at, line) in lines {
        if line.trim().is_empty() {
            continue;
        }
        let row = Row { line: at + 1, cells: line.split(',').collect() };
        if row.cells.len() != names.len() {
            let reason = format!("{} cells, but {} columns", row.cells.len(), names.len());
            return Err(wrong(row.line, 1, reason));
        }
        let buffer = builder.buffer(row.number(size)?, row.number(lower)?, row.number(upper)?);
        if let Some(column) = alignment.filter(|&c| !row.cells[c].trim().is_empty()) {
            builder.align(buffer, row.number(column)?);
        }
        if let Some(column) = offset.filter(|&c| !row.cells[c].trim().is_empty()) {
            builder.fix(buffer, row.number(column)?);
        }
        if let Some(column) = gaps {
            for gap in row.cells[column].split_whitespace() {
                let ends =
                    gap.split_once('-').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                let Some((from, to)) = ends else {
                    return Err(row.wrong(column, format!("'{gap}' is not a gap like 3-7")));
                };
                builder.gap(buffer, from, to);
            }
        }
    }
    Ok(builder)
}

struct Row<'a> {
    line: usize,
    cells: Vec<&'a str>,
}

impl Row<'_> {
    fn number<T: std::str::FromStr>(&self, column: usize) -> Result<T, Error> {
        let cell = self.cells[column].trim();
        cell.parse().map_err(|_| self.wrong(column, format!("'{cell}' is not a number in range")))
    }

    fn wrong(&self, column: usize, reason: String) -> Error {
        let before: usize = self.cells[..column].iter().map(|cell| cell.chars().count() + 1).sum();
        wrong(self.line, before + 1, reason)
    }
}

const fn wrong(line: usize, column: usize, reason: String) -> Error {
    Error::Parse { line, column, reason }
}
