//! Interval-graph colouring: jobs into as few rows as the most that are live at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::job::Job;

/// The row of each job; jobs of one row never overlap. A sweep gives each birth the lowest free row, which is optimal.
///
/// Complexity: `O(n log n)`.
pub fn rows(jobs: &[Job]) -> Vec<usize> {
    let mut by_birth: Vec<usize> = (0..jobs.len()).collect();
    by_birth.sort_by_key(|&i| (jobs[i].birth, jobs[i].death, i));
    let mut free: BinaryHeap<Reverse<usize>> = BinaryHeap::new();
    let mut busy: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
    let mut rows = vec![0; jobs.len()];
    let mut opened = 0;
    for i in by_birth {
        while let Some(&Reverse((death, row))) = busy.peek() {
            if death > jobs[i].birth {
                break;
            }
            busy.pop();
            free.push(Reverse(row));
        }
        let row = free.pop().map_or_else(
            || {
                opened += 1;
                opened - 1
            },
            |Reverse(row)| row,
        );
        rows[i] = row;
        busy.push(Reverse((jobs[i].death, row)));
    }
    rows
}

/// The jobs of each row, by birth.
pub fn by_row(jobs: Vec<Job>) -> Vec<Vec<Job>> {
    let rows = rows(&jobs);
    let count = rows.iter().max().map_or(0, |&row| row + 1);
    let mut lists: Vec<Vec<Job>> = vec![Vec::new(); count];
    for (job, row) in jobs.into_iter().zip(rows) {
        lists[row].push(job);
    }
    for list in &mut lists {
        list.sort_by_key(|job| job.birth);
    }
    lists
}
