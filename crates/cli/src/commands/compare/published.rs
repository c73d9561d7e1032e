//! Words such as `published:dillon-nvme`: figures that others published, beside runs or alone.

use std::path::Path;

use drivelab_analysis::{metric_def, suitability};
use drivelab_core::data_sheet::DataSheet;
use drivelab_core::exit::ExitCode;
use drivelab_core::published::{Published, PublishedFigure};
use drivelab_core::units::Bytes;
use drivelab_core::verdict_rules::VerdictRules;
use drivelab_lab::plan::drives::library;
use drivelab_lab::{Failure, Result};
use drivelab_report::{Compared, DriveVerdict, PublishedSide, Sides};
use drivelab_store::{read_published, read_verdict_rules};

use super::destination::{Destination, Format, json_text};
use crate::args::CompareArgs;
use crate::context::Context;
use crate::front::width::terminal_width;

/// What such a word begins with.
const PREFIX: &str = "published:";

/// The published sides that words name, and the other words. `published:NAME` is every drive of a publication,
/// `published:NAME/DRIVE` those whose name contains DRIVE.
///
/// # Errors
/// No publication or none of its drives is called so, or its file cannot be read.
pub(super) fn split(data: &Path, words: &[String]) -> Result<(Vec<PublishedSide>, Vec<String>)> {
    let (mut sides, mut rest) = (Vec::new(), Vec::new());
    for word in words {
        let Some(name) = word.strip_prefix(PREFIX) else {
            rest.push(word.clone());
            continue;
        };
        let (name, drive) = name.split_once('/').unwrap_or((name, ""));
        let publication = named(data, name).map_err(|why| why.about(word))?;
        let found = PublishedSide::of(&publication, drive, sides.len() + 1);
        if found.is_empty() {
            let all = PublishedSide::of(&publication, "", 1);
            let all: Vec<&str> = all.iter().map(PublishedSide::title).collect();
            return Err(Failure::nothing(format!(
                "'{name}' has no drive whose name contains '{drive}'; its drives are: {}",
                all.join("; ")
            ))
            .about(word));
        }
        if let Some(twice) = found.iter().find(|one| sides.iter().any(|known: &PublishedSide| known.is_of(one))) {
            return Err(Failure::usage(format!("{} is named twice, last by '{word}'; leave one out", twice.title()))
                .about(word));
        }
        sides.extend(found);
    }
    Ok((sides, rest))
}

/// Whether a word may only mean a published side: one that begins like theirs or, where there are any, `P` and a
/// number.
pub(super) fn is_named(word: &str, published: &[PublishedSide]) -> bool {
    let number = word.strip_prefix(['P', 'p']).filter(|_| !published.is_empty());
    word.starts_with(PREFIX) || number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Sets published drives side by side: without runs, so without intervals and verdicts.
///
/// # Errors
/// There is only one, something was asked that needs runs, or the file cannot be written.
pub(super) fn compare(
    context: &Context,
    arguments: &CompareArgs,
    destination: Destination,
    published: Vec<PublishedSide>,
) -> Result {
    let needs_runs = [
        ("--fail-if-worse", arguments.fail_if_worse),
        ("--junit", arguments.junit.is_some()),
        ("--by", arguments.by.is_some()),
        ("--allow", !arguments.allow.is_empty()),
    ];
    if let Some((flag, _)) = needs_runs.into_iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!(
            "{flag} needs runs, and only published figures are named: add a run, or leave {flag} out"
        )));
    }
    if published.len() < 2 {
        let (only, name) = (&published[0], "published:NAME/DRIVE");
        return Err(Failure::usage(format!(
            "a comparison needs two sides; there is only one: {}; name a run, a drive or another {name}",
            only.title()
        )));
    }
    let sides = alone(context, arguments.base.as_deref(), published)?;
    let compared = Compared { runs: &[], sides: &sides };
    let text = match destination.format {
        Format::Terminal => compared.text(terminal_width()).map_err(Failure::nothing)?,
        Format::Markdown => compared.markdown(),
        Format::Csv => compared.csv()?,
        Format::Html => drivelab_report::html_of_sides(&[], &[], &sides)?,
        Format::Json => json_text(&compared.document())?,
    };
    destination.write(context, &text)?;
    Ok(ExitCode::Ok)
}

/// Published drives without runs as sides, against the one that this word means.
pub(super) fn alone(context: &Context, word: Option<&str>, published: Vec<PublishedSide>) -> Result<Sides> {
    let published_base = base(context, word, &published)?;
    let verdicts = verdicts(context, &published)?;
    Ok(Sides { published, published_base, verdicts, ..Sides::alone(0) })
}

/// What each published drive is good for: by its figures in one capacity, without those under special conditions, and
/// by the data sheet of that capacity. Wrong rules are the reason why there is no verdict.
fn verdicts(context: &Context, published: &[PublishedSide]) -> Result<Vec<DriveVerdict>> {
    let settings = &context.settings;
    let (rules, wrong) = match read_verdict_rules(&settings.data.value) {
        Ok(rules) => (rules, None),
        Err(why) => (VerdictRules { uses: Vec::new(), rules: Vec::new() }, Some(why)),
    };
    let library = library(settings.drives.as_deref(), &settings.voice)?;
    let all = || published.iter().flat_map(|side| side.figures().iter().map(move |figure| (side, figure)));
    let mut drives: Vec<Judged<'_>> = Vec::new();
    for (of, figure) in all() {
        let same = |(side, other): &(&PublishedSide, &PublishedFigure)| {
            side.is_of_publication(of) && other.drive == figure.drive && other.capacity.is_some()
        };
        // Figures without a capacity are of the only one that the publication names.
        let one = all().find(same).map(|(_, other)| &other.capacity);
        let several = all().filter(same).any(|(_, other)| Some(&other.capacity) != one);
        let capacity = if several { figure.capacity.as_deref() } else { one.and_then(Option::as_deref) };
        let judged = drives
            .iter_mut()
            .find(|known| known.of.is_of_publication(of) && known.drive == figure.drive && known.capacity == capacity);
        match judged {
            Some(judged) => judged.figures.push(figure),
            None => drives.push(Judged { of, drive: &figure.drive, capacity, several, figures: vec![figure] }),
        }
    }
    let keys: Vec<(&str, Option<&str>)> = drives.iter().map(|one| (one.drive, one.capacity)).collect();
    let verdict = |judged: Judged<'_>| {
        // Two publications may be about one drive.
        let again = keys.iter().filter(|key| **key == (judged.drive, judged.capacity)).count() > 1;
        let behind = if again { format!(" ({})", judged.of.publication()) } else { String::new() };
        let plain: Vec<&PublishedFigure> = judged.figures.into_iter().filter(|figure| figure.is_plain()).collect();
        let capacity = judged.capacity.and_then(|capacity| capacity.parse::<Bytes>().ok());
        let sheet = library.named(judged.of.facts()).map(|known| DataSheet::of(&known.facts, capacity, false));
        let facts = suitability::of_published(&plain, sheet.as_ref());
        let named = judged.capacity.filter(|_| judged.several);
        let drive = [Some(judged.drive), named].into_iter().flatten().collect::<Vec<_>>().join(" ");
        DriveVerdict { drive: drive + &behind, suitability: suitability::judge(&rules, facts, wrong.clone()) }
    };
    Ok(drives.into_iter().map(verdict).collect())
}

/// A drive of a publication in one capacity.
struct Judged<'p> {
    of: &'p PublishedSide,
    drive: &'p str,
    capacity: Option<&'p str>,
    /// The publication has it in several capacities.
    several: bool,
    figures: Vec<&'p PublishedFigure>,
}

/// The side that a word means: its letter, or a `published:` word that only it has.
fn base(context: &Context, word: Option<&str>, published: &[PublishedSide]) -> Result<usize> {
    let Some(word) = word else { return Ok(0) };
    if let Some(place) = published.iter().position(|side| side.letter().eq_ignore_ascii_case(word)) {
        return Ok(place);
    }
    let letters = || published.iter().map(PublishedSide::letter).collect::<Vec<_>>().join(", ");
    let none = || Failure::usage(format!("--base {word} matches no side; the sides are {}", letters())).about(word);
    if !word.starts_with(PREFIX) {
        return Err(none());
    }
    let (named, _) = split(&context.settings.data.value, &[word.to_owned()])?;
    let place = |one: &PublishedSide| published.iter().position(|side| side.is_of(one));
    match named.iter().filter_map(place).collect::<Vec<_>>().as_slice() {
        [place] => Ok(*place),
        [] => Err(none()),
        several => {
            let why = format!("--base {word} is {} sides; name one by its letter", several.len());
            Err(Failure::usage(why).about(word))
        }
    }
}

/// A word for each publication that can be read.
pub(in crate::commands) fn words(data: &Path) -> Vec<String> {
    let all = read_published(data);
    all.iter().flatten().map(|known| format!("{PREFIX}{}", known.name)).collect()
}

/// Checks that every figure has a known metric and a unit of its quantity; no table has a place for others.
fn sound(published: &Published) -> Result<()> {
    for figure in &published.figures {
        let what = format!("{}: '{}' of {}", published.name, figure.test, figure.subject());
        let Some(def) = metric_def(&figure.metric) else {
            return Err(Failure::usage(format!("{what}: there is no metric '{}' (docs/metrics.md)", figure.metric)));
        };
        if figure.value_in(def.unit).is_none() {
            let (unit, wanted) = (&figure.unit, def.unit);
            return Err(Failure::usage(format!(
                "{what}: {} is in {wanted} or a unit of the same quantity, not in '{unit}'",
                figure.metric
            )));
        }
    }
    Ok(())
}

/// The publication of this name.
fn named(data: &Path, name: &str) -> Result<Published> {
    let all = read_published(data);
    if let Some(found) = all.iter().flatten().find(|known| known.name == name) {
        return sound(found).map(|()| found.clone());
    }
    // The file that was meant may be one that cannot be read.
    if let Some(wrong) = all.iter().find_map(|read| read.as_ref().err()) {
        return Err(Failure::usage(wrong.clone()));
    }
    let names: Vec<&str> = all.iter().flatten().map(|known| known.name.as_str()).collect();
    Err(Failure::nothing(format!("there are no published figures '{name}'; known are {}", names.join(", "))))
}
