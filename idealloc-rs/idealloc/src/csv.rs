//! minimalloc's CSV: one buffer a line, columns by name.

use std::collections::HashMap;

use crate::error::Error;
use crate::problem::{Problem, ProblemBuilder};

/// Names of the columns, the usual one first; those after it are of older files.
const LOWER: &[&str] = &["lower", "start", "begin"];
const UPPER: &[&str] = &["upper", "end"];
const ID: &[&str] = &["id", "buffer", "buffer_id"];

/// What a file says of buffers.
#[derive(Debug)]
pub struct Table {
    /// The buffers, to which memory can be added.
    pub builder: ProblemBuilder,
    /// Where each stands: its id, and its line from 1.
    pub places: Vec<(String, usize)>,
}

impl Table {
    /// A buffer as messages name it.
    #[must_use]
    pub fn describe(&self, buffer: usize) -> String {
        match self.places.get(buffer) {
            Some((id, line)) => format!("{id} (line {line})"),
            None => buffer.to_string(),
        }
    }
}

/// Reads buffers from CSV with the columns `id`, `lower`, `upper`, `size`, and optionally `alignment`, `offset` (fixed
/// where not empty) and `gaps` (`a-b` joined by spaces). Others are not read.
///
/// Older files say `start` or `begin`, and `end` instead of `upper`: then the last tick of lifetimes and of gaps is
/// *inclusive*, as in minimalloc's own reader (`src/converter.cc`). Complexity: `O(n)`.
///
/// # Errors
/// [`Error::Parse`] with line and column.
pub fn read(text: &str) -> Result<Table, Error> {
    let mut lines = lines_of(text).enumerate();
    let Some((_, header)) = lines.next() else {
        return Err(wrong(1, 1, "no header; columns needed: id, lower, upper, size".to_owned()));
    };
    let header = Row { line: 1, cells: cells_of(header.trim_start_matches('\u{feff}'), 1)? };
    let find = |known: &[&str]| {
        let mut found =
            (0..header.cells.len()).filter(|&c| known.contains(&header.cells[c].trim()));
        match (found.next(), found.next()) {
            (_, Some(second)) => {
                Err(header.wrong(second, format!("column '{}' comes twice", known[0])))
            }
            (first, None) => Ok(first),
        }
    };
    let need = |known: &[&str]| {
        find(known)?.ok_or_else(|| wrong(1, 1, format!("no column '{}'", known[0])))
    };
    let (id, lower, upper, size) = (need(ID)?, need(LOWER)?, need(UPPER)?, need(&["size"])?);
    let (alignment, offset, gaps) = (find(&["alignment"])?, find(&["offset"])?, find(&["gaps"])?);
    let inclusive = i64::from(header.cells[upper].trim() == "end");
    let mut builder = Problem::builder();
    let mut places = Vec::new();
    let mut line_of = HashMap::new();
    for (at, line) in lines {
        if line.trim().is_empty() {
            continue;
        }
        let row = Row { line: at + 1, cells: cells_of(line, at + 1)? };
        if row.cells.len() != header.cells.len() {
            let reason = format!("{} cells, but {} columns", row.cells.len(), header.cells.len());
            return Err(wrong(row.line, 1, reason));
        }
        if let Some(before) = line_of.insert(row.cells[id].clone(), row.line) {
            let reason = format!("buffer id '{}' is also in line {before}", row.cells[id]);
            return Err(row.wrong(id, reason));
        }
        let end = row.last_tick(upper, row.cells[upper].trim(), inclusive)?;
        let buffer = builder.buffer(row.number(size)?, row.number(lower)?, end);
        places.push((row.cells[id].clone(), row.line));
        if let Some(column) = alignment {
            builder.align(buffer, row.number(column)?);
        }
        if let Some(column) = offset.filter(|&c| !row.cells[c].trim().is_empty()) {
            builder.fix(buffer, row.number(column)?);
        }
        if let Some(column) = gaps {
            for gap in row.cells[column].split_whitespace() {
                // The first sign may be a minus; the dash comes after a digit.
                let dash = gap.get(1..).and_then(|rest| rest.find('-'));
                let ends = dash.map(|dash| (&gap[..=dash], &gap[dash + 2..]));
                let ends = ends.filter(|_| !gap.contains('+'));
                let Some((Ok(from), to)) = ends.map(|(from, to)| (from.parse(), to)) else {
                    return Err(row.wrong(column, format!("'{gap}' is not a gap like 3-7")));
                };
                builder.gap(buffer, from, row.last_tick(column, to, inclusive)?);
            }
        }
    }
    Ok(Table { builder, places })
}

/// The lines of a file, which end as any system ends them: `\n`, `\r\n` or `\r`.
pub fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('\r'))
}

/// A cell as it stands in a file: in quotes where it needs them.
#[must_use]
pub fn quoted(cell: &str) -> String {
    if cell.contains(['"', ',']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// Splits the line of this number at commas that are not within quotes.
///
/// # Errors
/// [`Error::Parse`] if a quote is not closed.
pub fn cells_of(line: &str, number: usize) -> Result<Vec<String>, Error> {
    if !line.contains('"') {
        return Ok(line.split(',').map(str::to_owned).collect());
    }
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let at = cells.len() - 1;
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => cells[at].push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells[at].push(letter),
        }
    }
    if quoted {
        return Err(wrong(number, 1, "a quote is not closed in its line".to_owned()));
    }
    Ok(cells)
}

struct Row {
    line: usize,
    cells: Vec<String>,
}

impl Row {
    fn number<T: std::str::FromStr>(&self, column: usize) -> Result<T, Error> {
        let cell = self.cells[column].trim();
        let is_minus_zero = cell.starts_with("-0") && cell[1..].bytes().all(|digit| digit == b'0');
        let digits = if is_minus_zero { "0" } else { cell };
        digits.parse().map_err(|_| self.wrong(column, format!("'{cell}' is not a number in range")))
    }

    /// One past the last tick, which the file may name itself.
    fn last_tick(&self, column: usize, cell: &str, inclusive: i64) -> Result<i64, Error> {
        let tick = cell.parse().ok().and_then(|tick: i64| tick.checked_add(inclusive));
        tick.ok_or_else(|| self.wrong(column, format!("'{cell}' is not a number in range")))
    }

    fn wrong(&self, column: usize, reason: String) -> Error {
        let before: usize = self.cells[..column].iter().map(|cell| cell.chars().count() + 1).sum();
        wrong(self.line, before + 1, reason)
    }
}

const fn wrong(line: usize, column: usize, reason: String) -> Error {
    Error::Parse { line, column, reason }
}
