//! The most that can be saved in some room: a knapsack in which each tensor has a choice, relaxed to fractions (Sinha and
//! Zoltners 1979).

/// Bytes saved for room that they need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Saving {
    pub bytes: i64,
    pub room: i64,
}

/// A choice for each of some tensors, of which fractions may be taken.
#[derive(Default)]
pub(super) struct Knapsack {
    /// Steps from each saving to the next larger one that may be worth its room.
    steps: Vec<Saving>,
    hull: Vec<Saving>,
}

impl Knapsack {
    /// Adds a tensor with the savings that it may have, one of them or none.
    pub fn add(&mut self, choice: &mut [Saving]) {
        choice.sort_unstable_by_key(|saving| (saving.room, -saving.bytes));
        // What is not on the upper hull is better replaced by fractions of its neighbours.
        let hull = &mut self.hull;
        hull.clear();
        hull.push(Saving::default());
        for &saving in choice.iter() {
            if saving.bytes <= hull[hull.len() - 1].bytes {
                continue;
            }
            while let [.., before, last] = hull[..]
                && pays_more(step(last, saving), step(before, last))
            {
                hull.pop();
            }
            hull.push(saving);
        }
        self.steps.extend(hull.windows(2).map(|pair| step(pair[0], pair[1])));
    }

    /// Adds a tensor with two savings, of which there may be none that is one.
    pub fn add_two(&mut self, one: Saving, other: Saving) {
        match (one.bytes > 0, other.bytes > 0) {
            (true, true) => self.add(&mut [one, other]),
            (true, false) => self.steps.push(one),
            (false, true) => self.steps.push(other),
            (false, false) => {}
        }
    }

    /// The most bytes that are saved by what takes no more than `room`.
    pub fn most_saved(mut self, room: i64) -> i64 {
        if self.steps.iter().map(|step| step.room).sum::<i64>() <= room {
            return self.steps.iter().map(|step| step.bytes).sum();
        }
        self.steps.sort_unstable_by(|a, b| {
            let (left, right) = (product(b.bytes, a.room), product(a.bytes, b.room));
            left.cmp(&right).then(a.room.cmp(&b.room))
        });
        let (mut left, mut saved) = (room, 0);
        for step in self.steps {
            if step.room <= left {
                left -= step.room;
                saved += step.bytes;
                continue;
            }
            let part = product(step.bytes, left.max(0)) / i128::from(step.room.max(1));
            return saved + i64::try_from(part).unwrap_or(step.bytes) + 1;
        }
        saved
    }
}

fn step(from: Saving, to: Saving) -> Saving {
    Saving { bytes: to.bytes - from.bytes, room: to.room - from.room }
}

fn pays_more(one: Saving, other: Saving) -> bool {
    product(one.bytes, other.room) >= product(other.bytes, one.room)
}

fn product(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}
