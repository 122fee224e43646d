//! The first plans of `auto`: single passes over all buffers.

use crate::auto::arms::{LOWEST_FIRST, OF_MANY, OF_MANY_ALIKE, PASSES};
use crate::auto::budget::{FEW, LOOKS, MANY, POOR, VERY_MANY};
use crate::auto::layers::layers;
use crate::auto::search::{Search, peak_of};
use crate::baselines::fit::{lowest, place_in_order};
use crate::error::Error;
use crate::index::BufferIdx;
use crate::place::engine::{Engine, Outcome, Rule, out_of_addresses};
use crate::place::online::{in_time, online};
use crate::place::order::Orders;
use crate::problem::MAX_BYTES;

impl Search<'_> {
    /// Nothing to plan where no two buffers meet: each at its lowest place. `O(n + sections)`.
    pub fn alone(&mut self) {
        let instance = self.instance;
        if instance.is_empty() || !instance.is_temporal() || !instance.fixed().is_empty() {
            return;
        }
        let mut taken = vec![false; instance.sections()];
        for buffer in 0..instance.len() {
            for piece in instance.pieces(buffer) {
                for section in &mut taken[piece.start as usize..piece.end as usize] {
                    if std::mem::replace(section, true) {
                        return;
                    }
                }
            }
        }
        let lowest = |buffer| match instance.sizes()[buffer] {
            0 => 0,
            _ => instance.aligner(buffer).up(0),
        };
        let offsets: Vec<u64> = (0..instance.len()).map(lowest).collect();
        self.accept(&offsets, peak_of(instance, &offsets));
        self.work = instance.len() as u64;
    }

    /// A quick plan for very many buffers.
    ///
    /// # Errors
    /// [`Error::Cancelled`] before there is a plan.
    pub fn layers(&mut self) -> Result<(), Error> {
        let instance = self.instance;
        let is_planned = !self.offsets.is_empty();
        if is_planned
            || instance.len() <= MANY
            || !instance.is_temporal()
            || !instance.fixed().is_empty()
        {
            return Ok(());
        }
        let found = layers(instance, self.control).or_else(|| {
            let offsets = in_time(instance, self.control)?;
            let peak = peak_of(instance, &offsets);
            Some((offsets, peak))
        });
        match found {
            Some((offsets, peak)) => {
                (self.offsets, self.peak) = (offsets, peak);
                if peak - self.bound > self.bound / POOR && !self.control.is_cancelled() {
                    self.one_layer();
                }
                self.work = if instance.len() > VERY_MANY { instance.len() as u64 } else { 0 };
                self.control.add_work(instance.len() as u64);
                self.control.publish(self.peak, self.bound);
                Ok(())
            }
            None if self.control.is_cancelled() => Err(Error::Cancelled),
            None => Ok(()),
        }
    }

    /// All in the order of time: better than two layers where lives are alike.
    fn one_layer(&mut self) {
        let buffers: Vec<u32> = (0..self.instance.len() as u32).collect();
        let mut offsets = vec![0; self.instance.len()];
        let peak = online(self.instance, &buffers, 0, &mut offsets, self.control);
        if let Some(peak) = peak.filter(|&peak| peak < self.peak) {
            (self.offsets, self.peak) = (offsets, peak);
            self.alike = true;
        }
    }

    /// First fit of many buffers whose lives are alike, over windows of time: where no buffer meets many of them, they
    /// are several times as fast as the engine's tree.
    fn passes_of_alike(&mut self) {
        let instance = self.instance;
        let mut orders = Orders::new(instance);
        for &arm in OF_MANY_ALIKE {
            let order: Vec<BufferIdx> =
                orders.sorted(arm).iter().map(|&i| BufferIdx::new(i)).collect();
            let Ok(offsets) = place_in_order(self.problem, self.control, &order, lowest) else {
                return;
            };
            self.passes += 1;
            self.work = self.work.saturating_add(instance.len() as u64);
            self.control.add_work(instance.len() as u64);
            let peak = peak_of(instance, &offsets);
            if peak < self.peak {
                self.accept(&offsets, peak);
            }
            if self.is_done() {
                return;
            }
        }
    }

    /// Lowest first, of few buffers: a better start for exact search where first fit ends far above the bound.
    pub fn lowest_first(&mut self) {
        let n = self.instance.len();
        if self.is_done() || n > FEW {
            return;
        }
        let mut orders = Orders::new(self.instance);
        let mut engine = Engine::new(self.instance);
        for &arm in LOWEST_FIRST {
            let sorted = orders.sorted(arm);
            let (limit, looks) = (self.peak - 1, LOOKS * n);
            let outcome = engine.run_lowest_first(&sorted, limit, looks, self.control);
            self.passes += 1;
            if let Outcome::Placed(peak) = outcome {
                self.accept(engine.offsets(), peak);
            }
        }
        self.work = self.work.saturating_add(engine.work());
        self.control.add_work(engine.work());
    }

    /// First fit of each arm. The first pass is finished come what may, so that there is a plan.
    ///
    /// # Errors
    /// [`Error::Cancelled`] before there is a plan; if no place is left below 2^63.
    pub fn passes(&mut self) -> Result<(), Error> {
        if self.is_done() && !self.offsets.is_empty() {
            return Ok(());
        }
        if self.alike {
            self.passes_of_alike();
            return Ok(());
        }
        let arms = match self.offsets.is_empty() {
            true => PASSES,
            false if self.instance.len() > VERY_MANY => &[],
            false => OF_MANY,
        };
        let mut orders = Orders::new(self.instance);
        let mut engine = Engine::new(self.instance);
        let before = self.work;
        for &arm in arms {
            let sorted = orders.sorted(arm);
            let first = self.offsets.is_empty();
            // Of many buffers only a pass that ends at the target is worth its time.
            let below = if self.instance.len() > MANY { self.target } else { self.peak - 1 };
            let limit = if first { MAX_BYTES } else { below };
            let mut outcome = engine.run(&sorted, Rule::FirstFit, limit, self.control);
            let is_late = outcome == Outcome::Cancelled && self.control.has_timed_out();
            if first && is_late && self.instance.len() <= MANY {
                let pass = || engine.run(&sorted, Rule::FirstFit, limit, self.control);
                outcome = self.control.overtime(pass);
            }
            self.passes += 1;
            match outcome {
                Outcome::Placed(peak) => self.accept(engine.offsets(), peak),
                Outcome::Above(buffer) if first => return Err(out_of_addresses(buffer)),
                Outcome::Above(_) => {}
                Outcome::Cancelled if first => return Err(Error::Cancelled),
                Outcome::Cancelled => break,
            }
            self.work = before + engine.work();
            if self.is_done() || self.instance.is_empty() {
                break;
            }
        }
        self.control.add_work(self.work - before);
        Ok(())
    }
}
