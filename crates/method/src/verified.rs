//! Loads whose blocks carry headers: who wrote what a later step checks, and the seed that both must have.
//!
//! A header names the seed of the load that wrote it, and what each block must hold follows from that load's streams;
//! so a check has the parameters and the seed of the step that wrote. The seed follows from the parameters and not from
//! the name of the step, so that a later run can check what an earlier one wrote.

use drivelab_core::load::Verify;
use drivelab_core::plan::{Action, TestPlan};
use drivelab_core::workload::{Span, Workload};

use crate::composite::locality_text;
use crate::diagnose::Diagnostic;
use crate::expand::Scope;
use crate::step::derived_seed;
use crate::sweep::name_at;

/// A load that wrote, as far as later checks need it.
struct Written {
    step: String,
    load: Workload,
}

/// Gives loads with headers their seeds, and finds for each check the load that wrote what it checks.
pub(crate) fn settle(scope: &Scope<'_>, tests: &mut [TestPlan], errors: &mut Vec<Diagnostic>) {
    let mut before: Vec<Written> = Vec::new();
    for test in tests {
        for step in &mut test.steps {
            let Action::Io { workload, .. } = &mut step.action else { continue };
            let found = apart(workload).and_then(|()| seeds(workload, &before, scope.method.reads_as_found()));
            if let Err(title) = found {
                errors.push(wrong(scope, &test.name, title));
            }
            let writing = workload.groups().filter(|load| single(load).writes());
            before.extend(writing.map(|load| Written { step: step.id.to_string(), load: single(load) }));
        }
    }
}

/// The load without those beside it.
fn single(load: &Workload) -> Workload {
    Workload { beside: Vec::new(), ..load.clone() }
}

fn wrong(scope: &Scope<'_>, test: &str, title: String) -> Diagnostic {
    let table = scope.root().tables("tests").iter().find(|table| table.text("name") == test);
    let at = table.or_else(|| scope.root().tables("prepare").first()).map_or(0..0, name_at);
    Diagnostic::new(at, title, "blocks can be checked only where their last write is known").help(
        "a check has the sizes, pattern, threads and span of the step that wrote, and nothing else writes between",
    )
}

fn overlap(one: Span, other: Span) -> bool {
    one.offset.get() < other.end() && other.offset.get() < one.end()
}

/// Where one of several loads at the same time has headers, no other may write to its blocks.
fn apart(workload: &Workload) -> Result<(), String> {
    let loads: Vec<Workload> = workload.groups().map(single).collect();
    for (at, load) in loads.iter().enumerate().filter(|(_, load)| !load.verify.is_off()) {
        let others = loads.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        if let Some(other) = others.into_iter().find(|other| other.writes() && overlap(other.span, load.span)) {
            return Err(format!("'{}' writes to blocks whose headers '{}' needs", other.name, load.name));
        }
    }
    Ok(())
}

/// Sets the seeds of the loads with headers.
fn seeds(workload: &mut Workload, before: &[Written], as_found: bool) -> Result<(), String> {
    let Workload { beside, .. } = workload;
    for load in beside.iter_mut() {
        load.seed = seed(load, before, as_found)?;
    }
    workload.seed = seed(workload, before, as_found)?;
    Ok(())
}

fn seed(load: &Workload, before: &[Written], as_found: bool) -> Result<u64, String> {
    match load.verify {
        Verify::Off => Ok(load.seed),
        Verify::Headers | Verify::AtOnce => {
            let same = |other: &&Written| !other.load.verify.is_off() && same_places(&other.load, load);
            Ok(own_seed(load, before.iter().filter(same).count()))
        }
        Verify::Check => {
            let last = before.iter().rev().find(|other| overlap(other.load.span, load.span));
            match last {
                Some(Written { load: writer, .. }) if !writer.verify.is_off() && same_places(writer, load) => {
                    Ok(writer.seed)
                }
                Some(Written { step, load: writer }) => {
                    let how = if writer.verify.is_off() { "without headers" } else { "with other parameters" };
                    Err(format!("the blocks to check were last written by '{step}', {how}"))
                }
                None if as_found => Ok(own_seed(load, 0)),
                None => Err("no earlier step writes the headers that are to be checked".to_owned()),
            }
        }
    }
}

/// Whether both loads go to the same blocks in the same order.
fn same_places(one: &Workload, other: &Workload) -> bool {
    let of = |load: &Workload| {
        let Workload { block_size, pattern, stride, seek_percent, streams, span, threads, .. } = load;
        (*block_size, *pattern, *stride, *seek_percent, *streams, *span, *threads)
    };
    of(one) == of(other) && one.block_size_mix == other.block_size_mix && one.locality == other.locality
}

/// The seed of the load that is the how-manieth (from 0) of its kind, from the seed that was stated.
fn own_seed(load: &Workload, number: usize) -> u64 {
    let mix = load.block_size_mix.iter().map(|size| format!("{}:{}", size.block_size.get(), size.operations));
    let name = format!(
        "headers/{}/{}/{}/{}/{}/{}/{number}",
        load.pattern.name(),
        load.block_size.get(),
        mix.collect::<Vec<_>>().join(","),
        locality_text(&load.locality),
        load.stride.map_or(0, drivelab_core::units::Bytes::get),
        load.threads,
    );
    derived_seed(load.seed, &name)
}
