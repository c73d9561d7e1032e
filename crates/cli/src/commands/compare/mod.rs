//! `drivelab compare`: sides of stored runs against a base, from their digests.

mod bridges;
mod destination;
mod drives;
mod likeness;
mod names;
pub(super) mod published;
pub mod rank;
mod read;
mod sides;
mod unlike;

use drivelab_analysis::bridge::Bridge;
use drivelab_analysis::digest::Digest;
use drivelab_core::exit::ExitCode;
use drivelab_lab::output::pages::{OutputFile, without_names};
use drivelab_lab::{Failure, Result};
use drivelab_report::{Compared, ComparedRun, DriveWords, PublishedSide, ReportInput, Sides};
use drivelab_store::{Catalog, DataDir, Filter};

use crate::args::CompareArgs;
use crate::context::Context;
use crate::front::width::terminal_width;
use destination::{Destination, Format, json_text};
use read::Read;

/// Runs the command.
///
/// # Errors
/// There is no such run or drive, there are fewer than two sides, none that can be compared, or a side is worse and
/// that was to fail.
pub fn compare(context: &Context, arguments: &CompareArgs) -> Result {
    let destination = Destination::of(arguments.output.as_deref(), arguments.json)?;
    let junit = arguments.junit.as_deref().map(OutputFile::check).transpose()?;
    if arguments.junit.is_some() && arguments.junit == arguments.output {
        return Err(Failure::usage("--junit and -o name the same file; give each its own"));
    }
    let (data, catalog) = (context.data()?, context.catalog()?);
    let (published, words) = published::split(&context.settings.data.value, &arguments.sides)?;
    let is_published = |word: &str| published::is_named(word, &published) && !words.iter().any(|own| own == word);
    let base_published = arguments.base.as_deref().is_some_and(is_published);
    let mut words = words;
    if words.is_empty() && !published.is_empty() && Filter::from(&arguments.filter).is_empty() {
        match &arguments.base {
            // One letter can only name a side; if none has it, the comparison says so.
            Some(word) if word.len() > 1 && !base_published => words.push(word.clone()),
            _ => return published::compare(context, arguments, destination, published),
        }
    }
    if let Some(word) = arguments.base.as_ref().filter(|_| base_published) {
        return Err(Failure::usage(format!(
            "--base {word} names published figures: they have no spread, so no difference from them can be tested; use a \
             run as the base, and the table has the ratio of each published figure to it"
        )));
    }
    let (read, sides) = gather(context, arguments, (&data, &catalog), (published, &words))?;
    let runs = read.compared();
    let compared = Compared { runs: &runs, sides: &sides };
    let table = comparable(&read, &compared)?;
    let text = match destination.format {
        Format::Terminal => table,
        Format::Markdown => compared.markdown(),
        Format::Csv => compared.csv()?,
        Format::Html => page(context, &runs, &sides)?,
        Format::Json => json_text(&compared.document())?,
    };
    if let Some(junit) = junit {
        junit.write(&compared.document().junit()?)?;
        context.settings.voice.say(format!("Wrote {}", junit.path().display()));
    }
    destination.write(context, &text)?;
    if arguments.fail_if_worse { worse(context, &compared) } else { Ok(ExitCode::Ok) }
}

/// The comparison as a terminal shows it, if at least two sides may be compared: without them there is nothing to write
/// in any format.
fn comparable(read: &Read, compared: &Compared<'_>) -> Result<String> {
    let none = |why: String| Failure::nothing(format!("no two of these runs can be compared\n{why}"));
    let table = compared.text(terminal_width()).map_err(none)?;
    let (sides, named) = (compared.sides, (read.is_of_one_drive(), &*compared.titles()));
    unlike::check(&compared.kinds(), sides.asked.as_slice(), named, &sides.allowed)?;
    Ok(table)
}

/// Reads the runs that words name, and sets them side by side with published figures.
fn gather(
    context: &Context,
    arguments: &CompareArgs,
    (data, catalog): (&DataDir, &Catalog),
    (published, words): (Vec<PublishedSide>, &[String]),
) -> Result<(Read, Sides)> {
    let all = catalog.list()?;
    let chosen = sides::choose(context, &all, arguments, words, !published.is_empty())?;
    let least = if published.is_empty() { 2 } else { 1 };
    let read = Read::new(context, data, catalog, chosen, least)?;
    let base = read.base(arguments.base.as_deref())?;
    let known = (drives::known(context, &read)?, bridges::found(context, (data, catalog), &all, (&read, base)));
    let sides = set_side_by_side(arguments, &read, base, published, known);
    Ok((read, sides))
}

/// What an article sets side by side, by the words of `compare`: the digests of all runs, and the sides. Published
/// drives alone have no digests.
///
/// # Errors
/// As for [`compare`].
pub fn for_article(context: &Context, arguments: &CompareArgs) -> Result<(Vec<Digest>, Sides)> {
    let (data, catalog) = (context.data()?, context.catalog()?);
    let (published, words) = published::split(&context.settings.data.value, &arguments.sides)?;
    if words.is_empty() {
        return Ok((Vec::new(), published::alone(context, arguments.base.as_deref(), published)?));
    }
    let (read, sides) = gather(context, arguments, (&data, &catalog), (published, &words))?;
    let runs = read.compared();
    let compared = Compared { runs: &runs, sides: &sides };
    comparable(&read, &compared)?;
    Ok((runs.iter().map(|run| run.digest.clone()).collect(), sides))
}

/// The sides as the report takes them, with names and prices of their drives and with the bridges between testbeds.
fn set_side_by_side(
    arguments: &CompareArgs,
    read: &Read,
    base: usize,
    published: Vec<PublishedSide>,
    (drives, bridges): (Vec<DriveWords>, Option<Vec<Bridge>>),
) -> Sides {
    let mut sides = Sides {
        runs: read.places(),
        base,
        limits: (&arguments.limits).into(),
        all: arguments.all,
        allowed: arguments.allow.clone(),
        published,
        published_base: 0,
        verdicts: Vec::new(),
        drives,
        apart: Vec::new(),
        stated: read.stated(),
        redact: arguments.redact,
        asked: arguments.by.and_then(unlike::question),
        bridges,
    };
    sides.apart = names::apart(&read.compared(), &sides);
    sides
}

/// Fails if a headline figure is worse than the base's, or is missing where the base has one, or if nothing could be
/// said of any figure.
fn worse(context: &Context, compared: &Compared<'_>) -> Result {
    let document = compared.document();
    let Some(behind) = document.behind() else {
        return Err(Failure::nothing("no run can be compared with the base"));
    };
    let (all, unjudged) = document.unjudged();
    let why = "they are bounds, disturbed, incomplete or missing";
    let parts = [("worse than the base", behind.worse), ("no figure beside the base's", behind.missing)];
    let parts = parts.into_iter().filter(|(_, all)| !all.is_empty());
    let message: Vec<String> = parts.map(|(what, all)| format!("{what}: {}", all.join("; "))).collect();
    if message.is_empty() && unjudged == all {
        let what = format!("none of the headline figures can be judged: {why}");
        return Err(Failure::new(ExitCode::AcceptanceFailed, what));
    }
    if unjudged > 0 {
        context.settings.voice.warn(format!("{unjudged} of {all} headline figures were not judged: {why}"));
    }
    if message.is_empty() {
        return Ok(ExitCode::Ok);
    }
    Err(Failure::new(ExitCode::AcceptanceFailed, message.join("\n")))
}

/// The page of all runs, with the comparison first.
fn page(context: &Context, runs: &[ComparedRun<'_>], sides: &Sides) -> Result<String> {
    let mut loaded = runs.iter().map(|run| context.load(run.digest.run.id)).collect::<Result<Vec<_>>>()?;
    if sides.redact {
        loaded = without_names(loaded);
    }
    let inputs: Vec<ReportInput<'_>> =
        loaded.iter().map(|(records, analysis)| ReportInput { records, analysis }).collect();
    let digests: Vec<&Digest> = runs.iter().map(|run| run.digest).collect();
    Ok(drivelab_report::html_of_sides(&inputs, &digests, sides)?)
}
