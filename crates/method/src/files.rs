//! `[[file_sets]]` and `[[tests.files]]`: sets of files, and tests whose steps work on them.
//!
//! Owns what a set's keys mean together and which parameters a test on files takes. Must not know: folders.

use drivelab_core::files::{FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
use drivelab_core::ids::StepId;
use drivelab_core::plan::{Action, Approximation, Form, Rest, Step, StepRole, StopRule};
use drivelab_core::units::{Bytes, Nanos, Percent, QueueDepth, Threads};
use drivelab_core::workload::{Pattern, Streams, Workload};

use crate::about::{Mark, Parameter, ValueInForm, text_of};
use crate::diagnose::Diagnostic;
use crate::errors::Errors;
use crate::estimate;
use crate::expand::Scope;
use crate::keys::files::SET;
use crate::layers::{Layers, mark_in};
use crate::load::SEED;
use crate::near::nearest;
use crate::step::derived_seed;
use crate::stop::{rest, start_below};
use crate::sweep::{Pick, name_at};
use crate::value::{Table, Value};
use crate::values::Values;

/// Buffer of a thread where the file states none.
const BUFFER: Bytes = Bytes::MIB;
/// `cap` where the file states none: copying a large set to a slow drive takes hours.
const CAP: Nanos = Nanos::from_secs(24 * 3600);
/// The smoke form: most files and bytes of a set.
const SMOKE: (u32, Bytes) = (48, Bytes::new(2 << 20));

/// Keys that a test on files takes, beside marks.
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

/// The keys of which one, alone or with what belongs to it, says how large files are.
const LAWS: [&str; 3] = ["size", "median", "smallest"];

/// A set's table with the values of a form over it.
struct SetTable<'m> {
    own: &'m Table,
    form: Option<&'m Table>,
    /// The faithful form beside the quick one: what it shortens needs no mark of its own.
    faithful: Option<Box<SetTable<'m>>>,
}

impl<'m> SetTable<'m> {
    fn in_form(root: &Table, own: &'m Table, base: Form) -> Self {
        let form = own.table("forms").and_then(|forms| forms.table(base.name()));
        let shortened = base == Form::Quick && root.table("forms").is_some_and(|it| it.has("faithful"));
        let faithful = shortened.then(|| Box::new(SetTable::in_form(root, own, Form::Faithful)));
        SetTable { own, form, faithful }
    }

    fn of(&self, key: &str) -> &'m Table {
        self.form.filter(|form| form.has(key)).unwrap_or(self.own)
    }

    fn has(&self, key: &str) -> bool {
        self.of(key).has(key)
    }

    fn size(&self, key: &str) -> Option<Bytes> {
        self.of(key).size(key)
    }

    fn at(&self, key: &str) -> std::ops::Range<usize> {
        self.of(key).get(key).map_or_else(|| name_at(self.own), |value| value.at.clone())
    }

    /// Where a value comes from.
    fn mark(&self, key: &str) -> Mark {
        let form = self.form.filter(|form| form.has(key));
        if let Some(mark) = self.form.and_then(|form| mark_in(form, key)) {
            return mark;
        }
        match (form, &self.faithful) {
            (Some(_), Some(faithful)) => Mark::shortened(&faithful.mark(key)),
            (Some(_), None) => Mark::Unmarked,
            (None, _) => mark_in(self.own, key).unwrap_or(Mark::Unmarked),
        }
    }

    /// Every value of the set that no source states, with the reason.
    fn approximations(&self) -> Vec<Approximation> {
        let keys = SET.iter().map(|key| key.name).filter(|key| self.has(key));
        let mark = |key: &str| match self.mark(key) {
            Mark::Approximation(reason) => Some(Approximation { parameter: key.to_owned(), reason }),
            Mark::Stated(_) | Mark::Derived(_) | Mark::Unmarked => None,
        };
        keys.filter_map(mark).collect()
    }
}

/// What documents say of a test on files: its steps, then the sets that they work on.
pub(crate) fn about(root: &Table, test: &Table, forms: &[Form]) -> Vec<Parameter> {
    let steps = test.tables("files").iter().map(|step| {
        let of = if step.has("of") { step.text("of") } else { "original" };
        let mark = mark_in(step, "work").or_else(|| mark_in(test, "work")).unwrap_or(Mark::Unmarked);
        let value = Some(format!("{} of {of}", step.text("work")));
        let in_form = |form: &Form| ValueInForm { form: *form, value: value.clone(), mark: mark.clone() };
        let part = Some(step.text("set").to_owned());
        Parameter { part, name: "work".to_owned(), forms: forms.iter().map(in_form).collect() }
    });
    let used = |set: &&Table| test.tables("files").iter().any(|step| step.text("set") == set.text("name"));
    let sets = root.tables("file_sets").iter().filter(used).flat_map(|set| {
        SET.iter().filter_map(|key| {
            let in_form = |form: &Form| {
                let table = SetTable::in_form(root, set, *form);
                let value = text_of(&table.of(key.name).get(key.name)?.value);
                Some(ValueInForm { form: *form, value: Some(value), mark: table.mark(key.name) })
            };
            let forms: Vec<ValueInForm> = forms.iter().filter_map(in_form).collect();
            let part = Some(format!("set {}", set.text("name")));
            (!forms.is_empty()).then(|| Parameter { part, name: key.name.to_owned(), forms })
        })
    });
    steps.chain(sets).collect()
}

/// The sets of a methodology in a form; those that are wrong are left out.
pub(crate) fn sets(scope: &Scope<'_>, errors: &mut Errors) -> Vec<(FileSet, Vec<Approximation>)> {
    let mut sets = Vec::new();
    for table in scope.root().tables("file_sets") {
        let table = SetTable::in_form(scope.root(), table, scope.base);
        match set(scope, &table) {
            Ok(set) => sets.push((set, table.approximations())),
            Err(error) => errors.push(error),
        }
    }
    sets
}

fn set(scope: &Scope<'_>, table: &SetTable<'_>) -> Result<FileSet, Diagnostic> {
    let name = table.own.text("name");
    let wrong = |at, title: String, label: &str| Err(Diagnostic::new(at, title, label));
    let Some(count) = table.of("count").whole("count").and_then(|count| u32::try_from(count).ok()) else {
        return wrong(name_at(table.own), format!("the set '{name}' does not say how many files"), "expected `count`");
    };
    let stated: Vec<&str> = LAWS.into_iter().filter(|law| table.has(law)).collect();
    let [law] = stated[..] else {
        let title = format!("the set '{name}' does not say in one way how large its files are");
        return wrong(name_at(table.own), title, "expected `size`, or `median`, or `smallest` and `largest`");
    };
    let seed = derived_seed(table.of("seed").whole("seed").unwrap_or(SEED), &format!("files/{name}"));
    let total = table.size("total");
    let sizes = match law {
        "size" => fixed(table)?,
        "median" => log_normal(table, count, total, seed)?,
        _ => log_uniform(table)?,
    };
    if let Some(total) = total.filter(|total| total.get() < u64::from(count)) {
        return wrong(table.at("total"), format!("{total} are too few for {count} files"), "expected a byte for each");
    }
    let compress = table.of("compress_percent").whole("compress_percent").unwrap_or(0);
    let compress_percent = Percent::new(compress).unwrap_or_default();
    let set = FileSet { name: name.to_owned(), count, sizes, total, seed, compress_percent };
    Ok(if scope.smoke() { set.at_most(SMOKE.0, SMOKE.1) } else { set })
}

fn only(table: &SetTable<'_>, law: &str, others: &[&str]) -> Result<(), Diagnostic> {
    match others.iter().find(|key| table.has(key)) {
        None => Ok(()),
        Some(key) => {
            let title = format!("`{key}` says nothing about files whose sizes follow from `{law}`");
            Err(Diagnostic::new(table.at(key), title, "expected it away"))
        }
    }
}

fn fixed(table: &SetTable<'_>) -> Result<FileSizes, Diagnostic> {
    only(table, "size", &["sigma", "largest", "total"])?;
    let size = table.size("size").unwrap_or_default();
    if size.get() == 0 {
        return Err(Diagnostic::new(table.at("size"), "a file of no bytes moves nothing", "expected at least 1 B"));
    }
    Ok(FileSizes::Fixed { size })
}

fn log_normal(table: &SetTable<'_>, count: u32, total: Option<Bytes>, seed: u64) -> Result<FileSizes, Diagnostic> {
    only(table, "median", &["largest"])?;
    let median = table.size("median").unwrap_or_default();
    let sigma = table.of("sigma").decimal("sigma").and_then(|sigma| u32::try_from(sigma * 1000).ok());
    match (sigma, total) {
        (Some(sigma_millionths), None) => Ok(FileSizes::LogNormal { median, sigma_millionths }),
        (None, Some(total)) => FileSizes::log_normal_of_total(median, count, total, seed).ok_or_else(|| {
            let title = format!("{count} files with a median of {median} cannot have {total} together");
            Diagnostic::new(table.at("total"), title, "expected more than the median times their number")
        }),
        _ => {
            let title = "the spread of log-normal sizes is not stated in one way";
            Err(Diagnostic::new(table.at("median"), title, "expected `sigma` or `total` beside it"))
        }
    }
}

fn log_uniform(table: &SetTable<'_>) -> Result<FileSizes, Diagnostic> {
    only(table, "smallest", &["sigma"])?;
    match (table.size("smallest"), table.size("largest")) {
        (Some(smallest), Some(largest)) if smallest.get() > 0 && smallest < largest => {
            Ok(FileSizes::LogUniform { smallest, largest })
        }
        _ => {
            let title = "the bounds of the sizes are not stated, or not in order";
            Err(Diagnostic::new(table.at("smallest"), title, "expected `largest` above it, and more than 0 B"))
        }
    }
}

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
                    errors.push(Diagnostic::new(table.at.clone(), title, "repetition is said with `rounds`"));
                }
                steps.push(step);
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(steps) } else { Err(errors) }
}

/// Parameters of the test that say nothing about files.
fn unsuited(test: &Table, errors: &mut Errors) {
    for (name, entry) in std::iter::once(test).chain(test.form_tables()).flat_map(|table| &table.entries) {
        if !TAKEN.contains(&name.as_str()) && !TAKEN_TOO.contains(&name.as_str()) {
            let title = format!("`{name}` says nothing about a test on files");
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
    // Sizes of blocks in [defaults] are those of loads on one target.
    let block_size = values.size("block_size").filter(|_| stated("block_size")).unwrap_or(BUFFER);
    if !block_size.get().is_multiple_of(4096) || block_size.get() == 0 || block_size > Bytes::GIB {
        let title = format!("files are moved in buffers of whole 4 KiB up to 1 GiB, and {block_size} is none");
        errors.push(Diagnostic::new(values.at("block_size"), title, "expected a multiple of 4 KiB"));
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
        (FileWork::Create, FilePlace::Source | FilePlace::Copy) => Some("`create` makes the original"),
        (FileWork::Copy, FilePlace::Copy) => Some("a copy is made of the source or of the original"),
        (FileWork::Verify | FileWork::Delete, FilePlace::Source) => Some("the source is only read"),
        _ => None,
    };
    if let Some(why) = cannot {
        let at = table.get("of").map_or_else(|| table.at.clone(), |value| value.at.clone());
        return Err(Diagnostic::new(at, format!("there is no `{}` of that", work.name()), why));
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

/// Gives a step its id and label; the set is in the id where the test has several.
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
