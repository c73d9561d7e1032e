//! `drivelab methods`: list, show, check and plan methodologies.

mod checked;
mod import;
mod own;

use std::fmt::Write as _;
use std::path::Path;

use drivelab_core::condition::{MethodConditions, PowerStates};
use drivelab_core::excerpt::MOST_SHOWN;
use drivelab_core::exit::ExitCode;
use drivelab_core::plan::{Action, LeftOut, Plan, Repeats, Rounds, Step};
use drivelab_core::units::{Bytes, BytesPerSecond, Nanos};
use drivelab_lab::plan::dry_run::{guess_of_bytes, guess_of_time};
use drivelab_lab::plan::{expand, traces};
use drivelab_lab::target::missing::NewFile;
use drivelab_lab::target::naming::place_named;
use drivelab_lab::target::other_namespace;
use drivelab_lab::target::place::Place;
use drivelab_lab::target::site::{self, Purpose};
use drivelab_lab::{Failure, Result};
use drivelab_method::library::BuiltIn;
use drivelab_method::{Diagnostics, Head, Methodology, SpeedGuess, library};
use drivelab_report::format;

use self::checked::forms;
use crate::args::{FormArg, MethodsCommand};
use crate::context::Context;
use crate::front::method;
use crate::front::method::WORDS_OF_FILES;
use crate::say;

/// Runs the command.
///
/// # Errors
/// An unknown or wrong methodology, or a target that it does not fit.
pub fn methods(context: &Context, command: &MethodsCommand) -> Result {
    match command {
        MethodsCommand::List { json } => list(*json),
        MethodsCommand::Show { method, json } => show(method, *json),
        MethodsCommand::Check { method, set, json } => check(method, set, *json),
        MethodsCommand::Schema => say::json(&drivelab_method::json_schema()).map(|()| ExitCode::Ok),
        MethodsCommand::New { name, from } => own::new(name, from.as_deref()),
        MethodsCommand::Diff { first, second, json } => own::diff(first, second, *json),
        MethodsCommand::Plan {
            method,
            profile,
            target,
            new_file,
            form,
            size,
            set,
            assume_rate,
            traces,
            json,
            as_fio,
        } => {
            let mut methodology = method::find_set(method, profile.as_deref(), set)?;
            traces::inform(&mut methodology, &traces.traces, &context.settings.voice)?;
            let place = place_named(target, NewFile::by(*new_file, methodology.target().takes_files()))?;
            plan(
                &methodology,
                (target, place),
                (*form, *size, assume_rate.unwrap_or_default()),
                if *as_fio { Shown::JobFile } else { Shown::json(*json) },
            )
        }
        MethodsCommand::Import(arguments) => import::import(arguments),
    }
}

fn list(json: bool) -> Result {
    if json {
        let methods: Vec<_> = library::all().iter().filter_map(BuiltIn::whole).map(|one| describe(&one)).collect();
        say::json(&serde_json::json!({ "schema": "drivelab.methods", "schema_version": 1, "methods": methods }))?;
    } else {
        // The program's own tests check all of them; a list only needs their heads.
        let all: Vec<Head> = library::all().iter().filter_map(BuiltIn::head).collect();
        let width = all.iter().map(|head| head.name.len()).max().unwrap_or(0);
        let line = |head: &Head| {
            format!("{:<width$}  {:<8} {:<24} {}\n", head.name, head.version, head.target.words(), head.title)
        };
        let lines: Vec<String> = all.iter().map(line).collect();
        say::data(&lines.concat())?;
    }
    Ok(ExitCode::Ok)
}

fn describe(methodology: &Methodology) -> serde_json::Value {
    serde_json::json!({
        "name": methodology.identity().name,
        "version": methodology.identity().version,
        "hash": methodology.identity().hash,
        "compared_hash": methodology.identity().compared_by(),
        "title": methodology.title(),
        "summary": methodology.summary(),
        "good_for": methodology.good_for(),
        "cannot_tell": methodology.cannot_tell(),
        "forms": methodology.forms(),
        "profiles": methodology.profiles().iter().map(|profile| &profile.name).collect::<Vec<_>>(),
        "sources": methodology.sources(),
    })
}

fn show(name: &str, json: bool) -> Result {
    let methodology = method::find(name)?;
    if json {
        let mut document = describe(&methodology);
        document["schema"] = "drivelab.method".into();
        document["schema_version"] = 1.into();
        document["toml"] = methodology.source_text().into();
        say::json(&document)?;
        return Ok(ExitCode::Ok);
    }
    let identity = methodology.identity();
    let mut text = format!(
        "{} ({} {})\nhash         {}\n\n{}\n\nGood for:    {}\nCannot tell: {}\n\nSources:\n",
        methodology.title(),
        identity.name,
        identity.version,
        identity.hash,
        methodology.summary().trim(),
        methodology.good_for().trim(),
        methodology.cannot_tell().trim()
    );
    for source in methodology.sources() {
        let _ = writeln!(text, "  {}: {}", source.id, source.citation);
    }
    let profiles = methodology.profiles();
    if !profiles.is_empty() {
        text.push_str("\nProfiles (--profile; the first is the default):\n");
    }
    for profile in profiles {
        let _ = writeln!(text, "  {}: {}", profile.name, profile.purpose);
    }
    let _ = write!(text, "\nThe file:\n\n{}", methodology.source_text());
    say::data(&text)?;
    Ok(ExitCode::Ok)
}

/// Parses, and expands every form for a large target, so that errors which only expansion finds are found here.
fn check(name: &str, set: &[String], json: bool) -> Result {
    let checked = method::text(name).and_then(|(file, text)| match forms(&file, &text, set) {
        Ok(checked) => Ok(checked),
        Err(diagnostics) if json => {
            say::json(&wrong_json(&diagnostics))?;
            Err(method::wrong(&diagnostics))
        }
        Err(diagnostics) => Err(method::wrong(&diagnostics)),
    });
    let (methodology, forms) = checked?;
    let identity = methodology.identity();
    if json {
        let forms: Vec<_> =
            forms.iter().map(|(form, steps)| serde_json::json!({ "form": form.name(), "executions": steps })).collect();
        say::json(&serde_json::json!({
            "schema": "drivelab.check", "schema_version": 1, "ok": true, "method": identity, "forms": forms, "errors": [],
        }))?;
    } else {
        let forms: Vec<String> = forms.iter().map(|(form, steps)| format!("{} {steps}", form.name())).collect();
        say::data(&format!(
            "{} {} is fine: {} executions; hash {}\n",
            identity.name,
            identity.version,
            forms.join(", "),
            identity.hash
        ))?;
    }
    Ok(ExitCode::Ok)
}

/// The mistakes in a file, for a script or an editor.
fn wrong_json(diagnostics: &Diagnostics) -> serde_json::Value {
    let errors: Vec<_> = diagnostics
        .all()
        .iter()
        .take(MOST_SHOWN)
        .map(|mistake| {
            let (line, column) = diagnostics.line_and_column(mistake);
            serde_json::json!({
                "file": diagnostics.file_of(mistake), "line": line, "column": column,
                "message": mistake.title(), "here": mistake.label(),
            })
        })
        .collect();
    serde_json::json!({
        "schema": "drivelab.check", "schema_version": 1, "ok": false, "file": diagnostics.file_name(), "errors": errors,
        "mistakes": diagnostics.count(),
    })
}

/// How a plan is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Table,
    Json,
    JobFile,
}

impl Shown {
    const fn json(json: bool) -> Shown {
        if json { Shown::Json } else { Shown::Table }
    }
}

fn plan(
    methodology: &Methodology,
    (path, place): (&Path, Box<dyn Place>),
    (form, size, guess): (Option<FormArg>, Option<Bytes>, SpeedGuess),
    shown: Shown,
) -> Result {
    let form = method::form(methodology, form)?;
    let site = site::survey(place, methodology, form, size, Purpose::Plan)?;
    let plan = expand::plan(methodology, (form, guess), &site, None, &WORDS_OF_FILES)?;
    let runs = methodology.conditions(form).map_or(1, |conditions| runs_of(&conditions));
    match shown {
        Shown::Json => {
            let document = serde_json::json!({
                "schema": "drivelab.plan",
                "schema_version": 1,
                "estimated_time_s": plan.estimated_time().as_secs_f64(),
                "estimated_written": plan.estimated_written(),
                "written_by_time": plan.writes_by_time(),
                "timed_by_rate": plan.timed_by_rate(),
                "assumed_rate": guess.throughput,
                "runs": runs,
                "remarks": site.remarks(),
                "plan": plan,
            });
            say::json(&document)?;
        }
        Shown::Table => {
            let remarks: String = site.remarks().iter().map(|remark| format!("Note: {remark}\n")).collect();
            say::data(&format!("{}{}{remarks}", plan_text(&plan, guess.throughput), of_all_runs(&plan, runs)))?;
        }
        Shown::JobFile => {
            let text = drivelab_interop::fio::job_file(&plan, &fio_target(path)).map_err(|unnameable| {
                Failure::usage(format!("{unnameable}. Make a link with a plain name (ln -s) and name that"))
            })?;
            if !drivelab_interop::fio::has_jobs(&text) {
                let name = &plan.methodology.name;
                return Err(Failure::usage(format!(
                    "'{name}' has nothing that a fio job file can express: its steps work on files, replay traces or wait"
                )));
            }
            say::data(&text)?;
        }
    }
    Ok(ExitCode::Ok)
}

/// How many runs one command makes: each arm in each power state in each round. If arms are not available, there are
/// fewer. If all power states of an unknown drive are asked for, one is counted.
fn runs_of(conditions: &MethodConditions) -> u64 {
    let states = match &conditions.power_states {
        Some(PowerStates::These(states)) => states.len().max(1),
        Some(PowerStates::All) | None => 1,
    };
    (conditions.arms.len().max(1) * states) as u64 * u64::from(conditions.repeats.unwrap_or(1).max(1))
}

/// The total of several runs under conditions, if there are several; the figures above are for one run.
fn of_all_runs(plan: &Plan, runs: u64) -> String {
    if runs < 2 {
        return String::new();
    }
    let time = Nanos::new(plan.estimated_time().get().saturating_mul(runs));
    let written = Bytes::new(plan.estimated_written().get().saturating_mul(runs));
    format!(
        "That is one run. Under all conditions and in all rounds: {runs} runs, about {}, writes about {}, plus the time \
         for setting up\n",
        format::duration(time),
        format::bytes(written)
    )
}

/// The file that fio opens; in a folder, a file of its own.
fn fio_target(path: &Path) -> String {
    let file = if path.is_dir() { path.join("drivelab-fio.bin") } else { path.to_owned() };
    file.display().to_string()
}

/// Room for the longest of [`writes`].
const WRITES_WIDTH: usize = 31;

/// `, 9 rounds after a discarded one, 4 sets`; empty for one round of one set.
fn fixed_rounds(count: u32, repeats: Repeats) -> String {
    let rounds = if count == 1 && repeats.warm_up_rounds == 0 { String::new() } else { format!(", {count} rounds") };
    let before = match repeats.warm_up_rounds {
        0 => String::new(),
        warm_up => format!(" after {warm_up} discarded"),
    };
    let sets = if repeats.sets > 1 { format!(", {} sets", repeats.sets) } else { String::new() };
    format!("{rounds}{before}{sets}")
}

/// What the plan is for: a number of bytes, or a folder if all loads work on files of their own.
fn place(plan: &Plan) -> String {
    let mut loads = plan.steps().filter_map(|step| match &step.action {
        Action::Io { workload, .. } => Some(workload),
        _ => None,
    });
    if loads.all(|workload| workload.files.is_some()) {
        "in a folder".to_owned()
    } else {
        format!("on {}", format::bytes(plan.capacity))
    }
}

/// The plan as a table; `rate` is the rate behind the estimates of time and bytes.
fn plan_text(plan: &Plan, rate: BytesPerSecond) -> String {
    let label_width = plan.steps().map(|step| step.label.chars().count()).max().unwrap_or(0);
    let mut text = format!(
        "{} ({} {}), {}, {}\n",
        plan.title,
        plan.methodology.name,
        plan.methodology.version,
        plan.form.words(&plan.methodology.name),
        place(plan)
    );
    for test in &plan.tests {
        let rounds = match &test.rounds {
            Rounds::Fixed { count } => fixed_rounds(*count, test.repeats),
            Rounds::Steady { max, .. } => format!(", until steady, at most {max} rounds"),
            Rounds::FindRate(search) => format!(", searching for a rate, at most {} rounds", search.max),
        };
        let _ = writeln!(text, "\n{}{rounds}", test.title);
        for step in &test.steps {
            let _ = writeln!(
                text,
                "  {:<label_width$}  {:>8}  {:<WRITES_WIDTH$}  {}",
                step.label,
                format::duration(step.estimated_time),
                writes(step.estimated_written),
                ends(step)
            );
        }
    }
    if let Some(remark) = other_namespace::remark(plan) {
        let _ = writeln!(text, "\n{remark}");
    }
    if !plan.left_out.is_empty() {
        let _ = writeln!(text, "\nLeft out");
        for LeftOut { test, title, reason } in &plan.left_out {
            let _ = writeln!(text, "  {test} ({title}): {reason}");
        }
    }
    if !plan.set.is_empty() {
        let _ = writeln!(text, "\nSet: {}", plan.set.join(", "));
    }
    let _ = writeln!(
        text,
        "\nIn total: {}, about {}{}, {}",
        format::counted(plan.schedule().len(), "execution"),
        format::duration(plan.estimated_time()),
        guess_of_time(plan.timed_by_rate(), rate),
        match plan.estimated_written().get() {
            0 => "writes nothing".to_owned(),
            _ => format!(
                "writes about {} ({})",
                format::bytes(plan.estimated_written()),
                guess_of_bytes(plan.writes_by_time(), rate)
            ),
        }
    );
    text
}

/// What a step writes.
fn writes(bytes: Bytes) -> String {
    match bytes.get() {
        0 => "writes nothing".to_owned(),
        _ => format!("writes {}", format::bytes(bytes)),
    }
}

/// When a step ends, in words.
fn ends(step: &Step) -> String {
    match &step.action {
        Action::Io { workload, stop, .. } => drivelab_report::stop_text(workload, stop),
        _ => String::new(),
    }
}
