//! Concurrent groups of threads with loads of their own: the test's own load, called `main`, and `[[tests.groups]]`
//! beside it.
//!
//! Owns how a rate is split by weight and what weights mean in a closed loop. Must not know: targets.

use drivelab_core::namespace::OtherNamespace;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

use crate::scope::{SMOKE_SIZE, Scope};
use crate::target::requires::{OTHER_NAMESPACE, is_elsewhere};
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::{Amount, Extent, Table};
use crate::values::Values;

/// The name of a test's own load among its groups.
const MAIN: &str = "main";

/// One load of a step, as written.
pub(crate) struct Written<'a, 'm> {
    pub(crate) values: Values<'a, 'm>,
    pub(crate) workload: Workload,
}

impl Written<'_, '_> {
    /// Takes the test's rate, because it has none of its own.
    fn inherits_rate(&self) -> bool {
        let own = self.values.own.is_some_and(|own| own.has("rate"));
        self.workload.pace.rate.is_some() && !own
    }

    fn weight(&self) -> Option<u64> {
        self.values.whole("weight")
    }
}

/// Names the loads and gives each its part of the rate or its weight; the first load is the test's own.
pub(crate) fn share_out(loads: &mut [Written<'_, '_>], errors: &mut Errors) {
    let [main] = loads else { return among_groups(loads, errors) };
    main.values.holds("weight", Some("there are no groups beside it to share anything with"), errors);
}

fn among_groups(loads: &mut [Written<'_, '_>], errors: &mut Errors) {
    if let Some(load) = loads.iter().find(|load| load.workload.pace.volume_bursts.is_some()) {
        let title = "bursts by volume and groups exclude each other";
        let label = "such a burst ends with the work of one load; `on` and `off` suit several";
        errors.push(Diagnostic::new(load.values.at("bursts"), title, label));
    }
    for load in loads.iter_mut() {
        load.workload.name = load.values.own.map_or(MAIN, |own| own.text("name")).to_owned();
        if let Some(weight) = load.values.own.filter(|own| own.has("rate")).and_then(|own| own.entry("weight")) {
            let title = format!("`rate` and `weight` exclude each other in the group '{}'", load.values.name);
            errors.push(Diagnostic::new(
                weight.key_at.clone(),
                title,
                "a group has a rate of its own or a part of one",
            ));
        }
    }
    split_rate(loads, errors);
    let closed: Vec<usize> = (0..loads.len()).filter(|at| loads[*at].workload.pace.rate.is_none()).collect();
    if !closed.iter().any(|at| loads[*at].weight().is_some()) {
        return;
    }
    for at in closed {
        let load = &mut loads[at];
        match load.weight().and_then(|weight| u32::try_from(weight).ok()) {
            Some(weight) => load.workload.pace.weight = weight,
            None => {
                let title = format!("'{}' has no `weight`, and other loads beside it have one", load.values.name);
                let error = Diagnostic::new(load.values.name_at.clone(), title, "expected `weight` in all or in none");
                errors.push(error.help("a `weight` in the test holds for its own load and for groups without one"));
            }
        }
    }
}

/// The test's rate is the sum of the rates of all loads that have none of their own.
fn split_rate(loads: &mut [Written<'_, '_>], errors: &mut Errors) {
    let parts: Vec<usize> = (0..loads.len()).filter(|at| loads[*at].inherits_rate()).collect();
    if parts.len() < 2 {
        return;
    }
    let weights: Vec<Option<u64>> = parts.iter().map(|at| loads[*at].weight()).collect();
    if let Some(without) = weights.iter().position(Option::is_none) {
        let load = &loads[parts[without.max(1)]];
        let title = "the rate of the test cannot be split: not every load has a `weight`";
        let error = Diagnostic::new(load.values.name_at.clone(), title, "expected `weight` or a `rate` of its own");
        errors
            .push(error.help("a `weight` in the test and in each group splits the rate; `rate` in a group adds to it"));
        return;
    }
    let sum: u64 = weights.iter().flatten().sum();
    for (at, weight) in parts.into_iter().zip(weights.into_iter().flatten()) {
        if let Some(rate) = &mut loads[at].workload.pace.rate {
            let part = u128::from(rate.per_1000_s) * u128::from(weight) / u128::from(sum.max(1));
            rate.per_1000_s = u64::try_from(part).unwrap_or(u64::MAX).max(1);
        }
    }
}

/// The namespace that the load goes to; `None` for the target. A load that does more than read another namespace is
/// an error.
pub(crate) fn elsewhere<'m>(
    scope: &Scope<'m>,
    load: &Written<'_, 'm>,
    errors: &mut Errors,
) -> Option<&'m OtherNamespace> {
    let on = load.values.own.filter(|own| is_elsewhere(own))?.get("on")?;
    let Workload { direct, verify, replay, .. } = &load.workload;
    let why = match () {
        () if replay.is_some() => "a trace is replayed on the target",
        () if load.workload.read_percent() < 100 => "it does more than read there, and only the target may be written",
        () if !verify.is_off() => "no step has written headers there",
        () if !direct => "it would go through the page cache there; expected direct = true",
        () => return Some(scope.other),
    };
    let title = format!("the group '{}' cannot be on = \"{OTHER_NAMESPACE}\"", load.values.name);
    errors.push(Diagnostic::new(on.at.clone(), title, why).help("another namespace of the drive can only be read"));
    None
}

/// The scope of loads on another namespace: its size and logical block in place of the target's.
pub(crate) fn scope_of<'m>(scope: &Scope<'m>, other: &OtherNamespace, extent: &Extent) -> Scope<'m> {
    let mut usable = if scope.smoke() { other.capacity.min(SMOKE_SIZE) } else { other.capacity };
    if !other.is_known() && matches!(extent.length, Amount::Bytes(_)) {
        // Nobody knows yet how much that namespace will hold.
        usable = usable.max(Bytes::new(extent.offset.of(usable).saturating_add(extent.length.of(usable))));
    }
    let mut there = Scope { usable, ..*scope };
    (there.shape.capacity, there.shape.offset_align) = (other.capacity, other.logical_block);
    there
}

/// Refuses names that a test's groups cannot have.
pub(crate) fn check_names(test: &Table, errors: &mut Errors) {
    for name in
        test.tables("groups").iter().filter_map(|group| group.get("name").filter(|_| group.text("name") == MAIN))
    {
        let title = format!("'{MAIN}' is the name of the test's own load");
        errors.push(Diagnostic::new(name.at.clone(), title, "expected another name"));
    }
}
