//! Loads whose blocks carry headers: whether the blocks that a step checks were written with headers, and by which
//! step.
//!
//! The engine knows what the last step with headers wrote, so a check can be about that only. Must not know: how
//! headers look.

use drivelab_core::load::Verify;
use drivelab_core::plan::{Action, Step, TestPlan};
use drivelab_core::workload::{Span, Workload};

use crate::scope::Scope;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::name_at;

/// A load that changed blocks, without the loads beside it.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) step: String,
    pub(crate) load: Workload,
}

impl Written {
    fn has_headers(&self) -> bool {
        !self.load.verify.is_off()
    }
}

/// Adds the errors in a plan's checks.
pub(crate) fn check(scope: &Scope<'_>, tests: &[TestPlan], errors: &mut Errors) {
    let mut before: Vec<Written> = Vec::new();
    for test in tests {
        for step in &test.steps {
            let Action::Io { workload, .. } = &step.action else { continue };
            if workload.files.is_some() {
                continue;
            }
            let loads: Vec<Workload> = workload.groups().map(single).collect();
            let mut checks = loads.iter().filter(|load| load.verify == Verify::Check);
            let found = apart(&loads)
                .and_then(|()| checks.try_for_each(|load| checkable(load, &before, scope.method.reads_as_found())));
            errors.extend(found.err().map(|title| wrong(scope, &test.name, title)));
            let writing = loads.into_iter().filter(Workload::writes);
            before.extend(writing.map(|load| Written { step: step.id.to_string(), load }));
        }
    }
}

/// Gives each check the seed of the step in its test that wrote headers, if both draw their places in the same way. A
/// check of random places in a part of the span then reads the blocks that were written.
pub(crate) fn read_back(steps: &mut [Step]) {
    let mut writers: Vec<Workload> = Vec::new();
    let loads = steps.iter_mut().filter_map(|step| match &mut step.action {
        Action::Io { workload, .. } => Some(workload),
        _ => None,
    });
    for load in loads {
        match load.verify {
            Verify::Headers => writers.push(single(load)),
            Verify::Check => {
                let writer = writers.iter().rev().find(|writer| same_places(writer, load));
                load.seed = writer.map_or(load.seed, |writer| writer.seed);
            }
            Verify::Off | Verify::AtOnce => {}
        }
    }
}

/// Whether two loads with the same seed go to the same places.
fn same_places(one: &Workload, other: &Workload) -> bool {
    let drawn = |load: &Workload| {
        let sizes = (load.block_size, load.block_size_mix.clone());
        (load.pattern, load.span, sizes, load.threads, load.streams, load.stride, load.places, load.seek_percent)
    };
    drawn(one) == drawn(other) && one.locality == other.locality
}

/// The load without the loads beside it.
pub(crate) fn single(load: &Workload) -> Workload {
    Workload { beside: Vec::new(), ..load.clone() }
}

fn wrong(scope: &Scope<'_>, test: &str, title: String) -> Diagnostic {
    let table = scope.root().tables("tests").iter().find(|table| table.text("name") == test);
    let at = table.or_else(|| scope.root().tables("prepare").first()).map_or(0..0, name_at);
    Diagnostic::new(at, title, "blocks can be checked only where their last write is known").help(
        "a check follows the step that wrote with `verify`, stays in its span, and nothing else writes there in between",
    )
}

/// Whether two spans have bytes in common.
pub(crate) fn overlap(one: Span, other: Span) -> bool {
    one.offset.get() < other.end() && other.offset.get() < one.end()
}

/// If one of several concurrent loads has headers, no other load may write to its blocks.
fn apart(loads: &[Workload]) -> Result<(), String> {
    for (at, load) in loads.iter().enumerate().filter(|(_, load)| !load.verify.is_off()) {
        let others = loads.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        if let Some(other) = others.into_iter().find(|other| other.writes() && overlap(other.span, load.span)) {
            return Err(format!("'{}' writes to blocks whose headers '{}' needs", other.name, load.name));
        }
    }
    Ok(())
}

/// Whether the blocks of a check were last written with headers that the engine still knows.
pub(crate) fn checkable(load: &Workload, before: &[Written], as_found: bool) -> Result<(), String> {
    let Some(Written { step, load: writer }) = before.iter().rev().find(|other| overlap(other.load.span, load.span))
    else {
        let nothing = || "no earlier step writes the headers that are to be checked".to_owned();
        return if as_found { Ok(()) } else { Err(nothing()) };
    };
    if writer.verify.is_off() {
        return Err(format!("the blocks to check were last written by '{step}', without headers"));
    }
    if let Some(last) = before.iter().rfind(|other| other.has_headers()).filter(|last| last.step != *step) {
        return Err(format!("the headers of '{step}' cannot be checked any more: '{}' wrote others since", last.step));
    }
    if load.span.offset < writer.span.offset || load.span.end() > writer.span.end() {
        return Err(format!("the span to check reaches beyond what '{step}' wrote with headers"));
    }
    let unit = writer.block_unit();
    match load.block_sizes().into_iter().find(|size| !size.get().is_multiple_of(unit.max(1))) {
        Some(size) => {
            Err(format!("'{step}' wrote a header for each {unit} bytes, and {size} is not a multiple of that"))
        }
        None => Ok(()),
    }
}
