//! Turns one combination of a test into one step: loads, stop rule, rest, estimate.
//!
//! Must not know: rounds, ids.

use drivelab_core::ids::StepId;
use drivelab_core::load::Verify;
use drivelab_core::plan::{Action, Approximation, RateSearch, Rest, Step, StepRole};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::Workload;

use crate::expand::estimate;
use crate::expand::label::{Naming, shown};
use crate::expand::stop::{rest, smoke, start_below, stop};
use crate::layers::Layers;
use crate::load::curve::{self, CURVE, Point};
use crate::load::fit::{Needs, fitted};
use crate::load::groups::{Written, elsewhere, scope_of, share_out};
use crate::load::seed::derived_seed;
use crate::load::workload::{self, Preset};
use crate::load::{search, trace};
use crate::scope::Scope;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::rate::AskedRate;
use crate::tree::value::{Table, name_at};
use crate::values::{Pick, Values};

/// A step without its final name and axes.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) step: Step,
    pub(crate) naming: Naming,
    pub(crate) case: Option<String>,
    /// It is a point of a curve; the point comes last in its name.
    pub(crate) on_curve: bool,
    /// Parameters that can be axes, as shown.
    pub(crate) shown: Vec<(&'static str, String)>,
    /// The operations were stated as shares, not as `op`.
    pub(crate) by_share: bool,
    /// It reads blocks that must have been filled before.
    pub(crate) reads: bool,
}

/// Makes the step of one combination.
pub(crate) fn io_step<'m>(
    scope: &Scope<'m>,
    test: &'m Table,
    pick: &Pick<'m>,
    point: Option<Point>,
) -> Result<Draft, Errors> {
    let layers = Layers::new(scope.root(), test, pick.case, scope.base);
    let values = Values { name: test.text("name"), name_at: name_at(test), own: None, test: Some((&layers, pick)) };
    let mut errors = Errors::default();
    let search = search::of(test);
    let loads = loads(scope, &values, test, (search.as_ref(), point.is_some()), &mut errors);
    let known: Vec<&Workload> = loads.iter().map(|load| &load.workload).collect();
    let stop = stop(&values, &known, &mut errors);
    errors.extend(search.and_then(|search| search::too_short(&search, test, stop.as_ref()?.time)));
    let (Some(stop), true) = (stop, errors.is_empty()) else { return Err(errors) };
    let written = joined(known.into_iter().cloned());
    let mut naming = Naming::of(&values, &written, search.as_ref());
    naming.extra.extend(point.map(Point::text));
    let mut shown = shown(&values, &written);
    shown.extend(point.map(|point| (CURVE, point.shown())));
    let seed_name =
        format!("{}/{}/{}", test.text("name"), naming.slug(), pick.case.map_or("", |case| case.text("name")));
    let mut approximations = layers.approximations();
    let seeds = loads.iter().map(|load| load.workload.seed).collect();
    let workload = fitting(scope, &loads, &seed_name, &mut approximations).map_err(Errors::from)?;
    naming.fitted(&workload);
    let reads = workload.on_target().any(|group| group.read_percent() > 0 && group.verify != Verify::Check);
    let ramp = values.time("ramp").unwrap_or_default();
    let (stop, ramp, rest) = if scope.smoke() {
        (smoke(&stop, scope.smoke_cap), Nanos::new(0), Rest::None {})
    } else {
        (stop, ramp, rest(&values))
    };
    let action = Action::Io { workload, stop, ramp };
    let (estimated_time, estimated_written) = estimate::step(&at_most(&action, search), rest, &scope.shape.guess);
    let step = Step {
        id: StepId::new("", ""),
        label: String::new(),
        role: StepRole::Measure,
        action,
        rest,
        start_below: if scope.smoke() { None } else { start_below(&values) },
        axes: Vec::new(),
        approximations,
        relative: curve::relative(test, &values, point),
        seeds,
        estimated_time,
        estimated_written: point.map_or(estimated_written, |point| Bytes::new(point.part_of(estimated_written.get()))),
    };
    let by_share = values.get("op").is_none();
    let case = pick.case.map(|case| case.text("name").to_owned());
    Ok(Draft { step, naming, case, on_curve: point.is_some(), shown, by_share, reads })
}

/// The action with the highest rate of a search, for an estimate that tends to be too high.
fn at_most(action: &Action, search: Option<RateSearch>) -> Action {
    let mut action = action.clone();
    if let (Action::Io { workload, .. }, Some(search)) = (&mut action, search)
        && let Some(rate) = &mut workload.pace.rate
    {
        rate.per_1000_s = search.highest;
    }
    action
}

/// The test's own load and its groups, as written; wrong ones are left out.
fn loads<'a, 'm>(
    scope: &Scope<'m>,
    values: &Values<'a, 'm>,
    test: &'m Table,
    (search, on_curve): (Option<&RateSearch>, bool),
    errors: &mut Errors,
) -> Vec<Written<'a, 'm>> {
    let folder = scope.method.folder();
    let groups = test.tables("groups").iter().map(|group| Values {
        name: group.text("name"),
        name_at: name_at(group),
        own: Some(group),
        test: values.test,
    });
    let mut loads = Vec::new();
    for values in std::iter::once(values.clone()).chain(groups) {
        let searched = search.map(|search| AskedRate::Operations(search.lowest));
        let workload = match values.get("trace") {
            Some(_) => trace::workload((scope.root(), scope.method.traces_known()), &values, folder, errors),
            None => workload::workload(&values, Preset { searched, on_curve, ..Preset::default() }, folder, errors),
        };
        loads.extend(workload.map(|workload| Written { values, workload }));
    }
    for load in &mut loads {
        load.workload.on = elsewhere(scope, load, errors).cloned().map(Box::new);
    }
    if errors.is_empty() {
        share_out(&mut loads, errors);
    }
    loads
}

/// The loads fitted to what they go to, each with its own seed; the first one contains the others.
fn fitting(
    scope: &Scope<'_>,
    loads: &[Written<'_, '_>],
    seed_name: &str,
    approximations: &mut Vec<Approximation>,
) -> Result<Workload, Diagnostic> {
    let mut fitting = Vec::with_capacity(loads.len());
    for load in loads {
        let there = load.workload.on.as_deref().map(|other| scope_of(scope, other, &workload::extent(&load.values)));
        let fits =
            fitted(there.as_ref().unwrap_or(scope), load.workload.clone(), &Needs::of(&load.values), approximations);
        let workload = fits.map_err(|error| match there {
            Some(_) => error.help("for this group the target is the other namespace: its size and logical block count"),
            None => error,
        })?;
        let name = match load.values.own {
            Some(_) => format!("{seed_name}/{}", workload.name),
            None => seed_name.to_owned(),
        };
        fitting.push(Workload { seed: derived_seed(workload.seed, &name), ..workload });
    }
    Ok(joined(fitting))
}

/// The first load with the others beside it.
fn joined(loads: impl IntoIterator<Item = Workload>) -> Workload {
    let mut loads = loads.into_iter();
    let first = loads.next().unwrap_or_default();
    Workload { beside: loads.collect(), ..first }
}
