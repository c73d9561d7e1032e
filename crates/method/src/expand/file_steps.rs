//! `[[tests.files]]`: tests whose steps work on file sets.
//!
//! Owns which parameters such a test takes, and the names of its steps. Must not know: folders.

use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSync, FileWork};
use drivelab_core::ids::StepId;
use drivelab_core::plan::{Action, Approximation, Rest, Step, StepRole, StopRule};
use drivelab_core::units::{Bytes, Nanos, Percent, QueueDepth, Threads};
use drivelab_core::workload::{Pattern, Streams, Workload};

use crate::expand::estimate;
use crate::expand::stop::{rest, start_below};
use crate::layers::Layers;
use crate::load::file_sets::sets;
use crate::scope::Scope;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::marks::{Mark, mark_in};
use crate::tree::near::nearest;
use crate::tree::value::{Table, Value, name_at};
use crate::values::{Pick, Values};

/// Buffer of a thread if the file states none.
const BUFFER: Bytes = Bytes::MIB;

/// `cap` if the file states none: copying a large set to a slow drive takes hours.
const CAP: Nanos = Nanos::from_secs(24 * 3600);

/// Keys that a test on files takes, besides marks.
const TAKEN: [&str; 20] = [
    "name",
    "title",
    "purpose",
    "sources",
    "forms",
    "files",
    "source_of",
    "approximation",
    "derived",
    "requires",
    "needs",
    "priority",
    "block_size",
    "threads",
    "direct",
    "cap",
    "errors",
    "rest",
    "duty_cycle",
    "rest_cap",
];

/// The rest of them.
const TAKEN_TOO: [&str; 5] = ["start_below", "start_below_cap", "rounds", "combine", "order"];

/// Steps of a test on files, one for each of its tables.
pub(crate) fn steps(scope: &Scope<'_>, test: &Table) -> Result<Vec<Step>, Errors> {
    let mut errors = Errors::default();
    let sets = sets(scope, &mut errors);
    unsuited(test, &mut errors);
    let layers = Layers::new(scope.root(), test, None, scope.base);
    let pick = Pick { case: None, values: Vec::new() };
    let values = Values { name: test.text("name"), name_at: name_at(test), own: None, test: Some((&layers, &pick)) };
    let load = general(&values, &mut errors);
    let tables = test.tables("files");
    let several = tables.iter().any(|table| table.text("set") != tables[0].text("set"));
    let mut steps: Vec<Step> = Vec::new();
    for table in tables {
        match file_load(table, &sets) {
            Ok((files, marks)) => {
                let mut step = step(scope, &values, Workload { files: Some(Box::new(files)), ..load.clone() });
                step.approximations = [layers.approximations(), marks].concat();
                named(test, &mut step, several);
                if steps.iter().any(|other| other.id == step.id) {
                    let title = format!("two steps of '{}' are the same: {}", test.text("name"), step.id.slug());
                    errors.push(Diagnostic::new(table.at.clone(), title, "to repeat a step, use `rounds`"));
                }
                steps.push(step);
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(steps) } else { Err(errors) }
}

/// Parameters of the test that do not apply to files.
fn unsuited(test: &Table, errors: &mut Errors) {
    for (name, entry) in std::iter::once(test).chain(test.form_tables()).flat_map(|table| &table.entries) {
        if !TAKEN.contains(&name.as_str()) && !TAKEN_TOO.contains(&name.as_str()) {
            let title = format!("`{name}` does not apply to a test on files");
            let label = "it takes block_size (its buffer), threads, direct, cap, rests and rounds";
            errors.push(Diagnostic::new(entry.key_at.clone(), title, label));
        } else if let (Value::List(_), false) = (&entry.value.value, name == "sources") {
            let title = format!("`{name}` is a list, and a test on files has no axes");
            errors.push(Diagnostic::new(entry.value.at.clone(), title, "expected one value"));
        }
    }
}

/// What all steps of the test have in common.
fn general(values: &Values<'_, '_>, errors: &mut Errors) -> Workload {
    let stated = |key: &str| values.get(key).is_some() && !values.is_general(key);
    // Block sizes in [defaults] are meant for loads on one target.
    let block_size = values.size("block_size").filter(|_| stated("block_size")).unwrap_or(BUFFER);
    if !block_size.get().is_multiple_of(4096) || block_size.get() == 0 || block_size > Bytes::GIB {
        let title =
            format!("files are moved in buffers of multiples of 4 KiB, at most 1 GiB, and {block_size} is not one");
        errors.push(Diagnostic::new(values.at("block_size"), title, "expected a multiple of 4 KiB, at most 1 GiB"));
    }
    let threads = values.whole("threads").filter(|_| stated("threads")).and_then(|threads| Threads::new(threads).ok());
    let direct = stated("direct") && matches!(values.get("direct"), Some(Value::Flag(true)));
    Workload {
        block_size,
        threads: threads.unwrap_or(Threads::ONE),
        queue_depth: QueueDepth::ONE,
        direct,
        pattern: Pattern::Sequential,
        streams: Streams::Shared,
        ..Workload::default()
    }
}

fn file_load(
    table: &Table,
    sets: &[(FileSet, Vec<Approximation>)],
) -> Result<(FileLoad, Vec<Approximation>), Diagnostic> {
    let name = table.text("set");
    let Some((set, marks)) = sets.iter().find(|(set, _)| set.name == name) else {
        let at = table.get("set").map_or_else(|| table.at.clone(), |value| value.at.clone());
        let near = nearest(name, sets.iter().map(|(set, _)| set.name.as_str()));
        return Err(
            Diagnostic::new(at, format!("there is no file set '{name}'"), "expected a [[file_sets]]").near(near)
        );
    };
    let work = match table.text("work") {
        "create" => FileWork::Create,
        "copy" => FileWork::Copy,
        "verify" => FileWork::Verify,
        "delete" => FileWork::Delete,
        _ => FileWork::Read,
    };
    let of = match table.text("of") {
        "source" => FilePlace::Source,
        "copy" => FilePlace::Copy,
        _ => FilePlace::Original,
    };
    let sync = match table.text("sync") {
        "each" => FileSync::Each,
        "never" => FileSync::Never,
        _ => FileSync::End,
    };
    let cannot = match (work, of) {
        (FileWork::Create, FilePlace::Source | FilePlace::Copy) => Some("`create` creates the original"),
        (FileWork::Copy, FilePlace::Copy) => Some("a copy is made of the source or of the original"),
        (FileWork::Verify | FileWork::Delete, FilePlace::Source) => Some("the source is only read"),
        _ => None,
    };
    if let Some(why) = cannot {
        let at = table.get("of").map_or_else(|| table.at.clone(), |value| value.at.clone());
        return Err(Diagnostic::new(at, format!("`{}` cannot work on that", work.name()), why));
    }
    if let Some(entry) = table.entry("sync").filter(|_| work.reads()) {
        let title = format!("`{}` writes nothing that could be made durable", work.name());
        return Err(Diagnostic::new(entry.key_at.clone(), title, "expected no `sync`"));
    }
    let own = ["work", "of", "sync"].into_iter().filter_map(|key| match mark_in(table, key)? {
        Mark::Approximation(reason) => Some(Approximation { parameter: key.to_owned(), reason }),
        Mark::Stated(_) | Mark::Derived(_) | Mark::Unmarked => None,
    });
    let marks = marks.iter().cloned().chain(own).collect();
    Ok((FileLoad { set: set.clone(), work, of, sync }, marks))
}

/// The step of a load, without its name.
fn step(scope: &Scope<'_>, values: &Values<'_, '_>, workload: Workload) -> Step {
    let files = workload.files.clone();
    let reads = files.as_ref().is_some_and(|files| files.work.reads());
    let seed = files.map_or(0, |files| files.set.seed);
    let write_percent = if reads { Percent::ZERO } else { Percent::new(100).unwrap_or_default() };
    let workload = Workload { write_percent, seed, ..workload };
    let cap = if scope.smoke() { scope.smoke_cap } else { values.time("cap").unwrap_or(CAP) };
    let errors = match values.word("errors") {
        "stop" => drivelab_core::plan::OnError::Stop,
        "keep" => drivelab_core::plan::OnError::Keep,
        _ => drivelab_core::plan::OnError::Tolerate,
    };
    let stop = StopRule { passes: Some(1), errors, ..StopRule::capped(cap) };
    let action = Action::Io { workload, stop, ramp: Nanos::new(0) };
    let rest = if scope.smoke() { Rest::None {} } else { rest(values) };
    let (estimated_time, estimated_written) = estimate::step(&action, rest, &scope.shape.guess);
    Step {
        relative: None,
        id: StepId::new("", ""),
        label: String::new(),
        role: StepRole::Measure,
        action,
        rest,
        start_below: if scope.smoke() { None } else { start_below(values) },
        axes: Vec::new(),
        approximations: Vec::new(),
        seeds: Vec::new(),
        estimated_time,
        estimated_written,
    }
}

/// Gives a step its id and label; the id contains the set if the test has several.
fn named(test: &Table, step: &mut Step, several: bool) {
    let Some(files) = step.workload().and_then(|workload| workload.files.clone()) else { return };
    let words = match (files.work, files.of) {
        (FileWork::Create, _) => "create",
        (FileWork::Copy, FilePlace::Source) => "copy from the source",
        (FileWork::Copy, _) => "copy on the drive",
        (FileWork::Read, FilePlace::Source) => "read the source",
        (FileWork::Read, FilePlace::Original) => "read back",
        (FileWork::Read, FilePlace::Copy) => "read the copy",
        (FileWork::Verify, FilePlace::Copy) => "verify the copy",
        (FileWork::Verify, _) => "verify",
        (FileWork::Delete, FilePlace::Copy) => "delete the copy",
        (FileWork::Delete, _) => "delete",
    };
    step.label = format!("{}: {words}", files.set.name);
    let slug = words.replace(" the ", "-").replace(' ', "-");
    let slug = if several { format!("{}-{slug}", files.set.name) } else { slug };
    step.id = StepId::new(test.text("name"), &slug);
}
