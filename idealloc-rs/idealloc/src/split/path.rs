//! The groups that lead from the first layer to the last, found backwards.

use super::group::Group;

/// The groups of the way to the last of `count` layers. `last_group` is the last group of the best way to a number of
/// layers, with the newest tensor on chip or not; none if there is no way.
pub(super) fn groups_of<'r>(
    count: usize,
    last_group: impl Fn(usize, bool) -> Option<&'r Group>,
) -> Option<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut layers, mut is_on_chip) = (count, false);
    while layers > 0 {
        let group = last_group(layers, is_on_chip)?;
        (layers, is_on_chip) = (group.first_layer, group.starts_on_chip);
        groups.push(group.clone());
    }
    groups.reverse();
    Some(groups)
}
