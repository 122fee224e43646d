//! The techniques of minimalloc, each a flag.

use crate::error::Error;

/// Settings of the planner `minimalloc`; everything is on by default.
///
/// Two techniques rest on others and rest with them: `monotonic_floor` needs `canonical_only`, and `hatless_pruning`
/// beside `canonical_only` needs `dynamic_ordering`; without these they would cut off solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Place by non-decreasing (offset, preorder): each solution is met once.
    pub canonical_only: bool,
    /// A section fails once its floor plus what is not placed there exceeds the capacity.
    pub section_inference: bool,
    /// Try buffers by (lowest offset, preorder), not by preorder alone.
    pub dynamic_ordering: bool,
    /// Skip a buffer when another one fits completely below it.
    pub check_dominance: bool,
    /// Floors are at least the lowest offset of what is not placed in the section.
    pub unallocated_floor: bool,
    /// Floors are at least the offset placed last.
    pub monotonic_floor: bool,
    /// Sort by the preorders; without it, by position.
    pub static_preordering: bool,
    /// Solve parts apart once no unplaced buffer joins them.
    pub dynamic_decomposition: bool,
    /// No alternatives to a buffer that nothing unplaced overlaps.
    pub hatless_pruning: bool,
    /// Preorders in turn, each a string of keys: `W` width, `A` area, `T` total of the busiest section, all descending.
    pub preorders: Vec<String>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            canonical_only: true,
            section_inference: true,
            dynamic_ordering: true,
            check_dominance: true,
            unallocated_floor: true,
            monotonic_floor: true,
            static_preordering: true,
            dynamic_decomposition: true,
            hatless_pruning: true,
            preorders: ["WAT", "TAW", "TWA"].map(str::to_owned).to_vec(),
        }
    }
}

impl Parameters {
    /// Reads settings by name: a technique with `true` or `false`, or `preorders` with keys joined by commas.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for a name or value that is not known.
    pub fn read(settings: &[(String, String)]) -> Result<Self, Error> {
        let mut parameters = Self::default();
        for (name, value) in settings {
            if name == "preorders" {
                parameters.preorders = preorders(value)?;
                continue;
            }
            let flag = parameters.flag(name)?;
            *flag = value.parse().map_err(|_| {
                Error::InvalidOption(format!("'{name}' takes true or false, not '{value}'"))
            })?;
        }
        Ok(parameters)
    }

    fn flag(&mut self, name: &str) -> Result<&mut bool, Error> {
        Ok(match name {
            "canonical-only" => &mut self.canonical_only,
            "section-inference" => &mut self.section_inference,
            "dynamic-ordering" => &mut self.dynamic_ordering,
            "check-dominance" => &mut self.check_dominance,
            "unallocated-floor" => &mut self.unallocated_floor,
            "monotonic-floor" => &mut self.monotonic_floor,
            "static-preordering" => &mut self.static_preordering,
            "dynamic-decomposition" => &mut self.dynamic_decomposition,
            "hatless-pruning" => &mut self.hatless_pruning,
            other => {
                return Err(Error::InvalidOption(format!(
                    "planner minimalloc has no parameter '{other}'; known: canonical-only, \
                     section-inference, dynamic-ordering, check-dominance, unallocated-floor, \
                     monotonic-floor, static-preordering, dynamic-decomposition, hatless-pruning, \
                     preorders"
                )));
            }
        })
    }
}

fn preorders(value: &str) -> Result<Vec<String>, Error> {
    let list: Vec<String> = value.split(',').map(|keys| keys.trim().to_owned()).collect();
    match list.iter().find(|keys| keys.is_empty() || !keys.chars().all(|key| "WAT".contains(key))) {
        None => Ok(list),
        Some(keys) => Err(Error::InvalidOption(format!(
            "preorder '{keys}' is not made of W (width), A (area), T (total)"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::Parameters;

    #[test]
    fn reads_flags_and_refuses_the_rest() {
        let pair = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        let read = Parameters::read(&pair("hatless-pruning", "false"));
        assert_eq!(read.map(|p| p.hatless_pruning), Ok(false));
        let read = Parameters::read(&pair("preorders", "TA,W"));
        assert_eq!(read.map(|p| p.preorders), Ok(vec!["TA".to_owned(), "W".to_owned()]));
        assert!(Parameters::read(&pair("hatless", "false")).is_err());
        assert!(Parameters::read(&pair("canonical-only", "maybe")).is_err());
        assert!(Parameters::read(&pair("preorders", "WX")).is_err());
    }
}
