//! `drivelab rank`: all drives that ran a methodology, by one of its figures.

use std::collections::BTreeSet;

use drivelab_analysis::digest::Digest;
use drivelab_analysis::rank::rank as ranked;
use drivelab_analysis::ratios::Limits;
use drivelab_analysis::side_by_side::{Kind, align, side_by_side};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::Form;
use drivelab_lab::{Failure, Result};
use drivelab_report::{Compared, ComparedRun, PublishedSide, RankInput, Sides};
use drivelab_store::RunRow;

use super::destination::{Destination, Format, json_text};
use super::read::{Read, Run, TOGETHER};
use super::sides::{Axis, Chosen, Side, is_fit};
use super::{names, published};
use crate::args::RankArgs;
use crate::context::{Context, NO_RUNS};
use crate::front;
use crate::front::width::terminal_width;

/// Most figures that an error lists.
const MOST_LISTED: usize = 12;

/// Runs the command.
///
/// # Errors
/// No drive ran the methodology, the runs differ in what was not allowed, or there is no such figure.
pub fn rank(context: &Context, arguments: &RankArgs) -> Result {
    let destination = Destination::of(arguments.output.as_deref(), arguments.json)?;
    let (published, words) = published::split(&context.settings.data.value, &arguments.published)?;
    if let Some(word) = words.first() {
        return Err(Failure::usage(format!(
            "'{word}' is not published:NAME; a ranking is of all drives that ran {}",
            arguments.method
        )));
    }
    let published: Vec<PublishedSide> = published.iter().map(|side| side.beside(&arguments.method)).collect();
    let read = read(context, arguments)?;
    let least = if published.is_empty() { 2 } else { 1 };
    if read.sides.len() < least {
        let which = if read.sides.is_empty() { "no drive" } else { "only one drive" };
        let what = format!(
            "{which} has runs of {} that can be ranked, and a ranking needs two: run it on another drive, or name \
             published figures",
            arguments.method
        );
        return Err(Failure::nothing(what));
    }
    let runs: Vec<ComparedRun<'_>> = read.compared();
    let limits = Limits::from(&arguments.limits);
    let allowed = arguments.allow.clone();
    let drives = super::drives::known(context, &read)?;
    let (runs_of_sides, redact) = (read.places(), arguments.redact);
    let mut sides = Sides { runs: runs_of_sides, limits, allowed, published, drives, redact, ..Sides::alone(0) };
    sides.apart = names::apart(&runs, &sides);
    let compared = Compared { runs: &runs, sides: &sides };
    let digests: Vec<&Digest> = runs.iter().map(|run| run.digest).collect();
    // Sides differ in profile and data state, and their names say so.
    let names = compared.titles();
    super::unlike::check(&compared.kinds(), &[Kind::Profile, Kind::State], (false, &names), &sides.allowed)?;
    let address = address(&compared, arguments)?;
    let aligned = align(&digests);
    let ranking = ranked(&aligned, &sides.runs, limits, &address).ok_or_else(|| {
        Failure::nothing(format!("'{address}' cannot be ranked: no run has a value, or neither direction is better"))
    })?;
    let (published, touched) = (sides.published.clone(), compared.touched());
    let prices = sides.drives.iter().map(|drive| drive.price.clone()).collect();
    let (drives, marked) = (read.drives(), marked(arguments.mark.as_deref(), &names)?);
    let method = digests[0];
    let input = RankInput { ranking, names, drives, marked, prices, method, published, limits, touched, redact };
    let text = match destination.format {
        Format::Terminal => input.text(terminal_width()),
        Format::Markdown => input.markdown(),
        Format::Csv => input.csv()?,
        Format::Html => input.html()?,
        Format::Json => json_text(&input.document())?,
    };
    destination.write(context, &text)?;
    Ok(ExitCode::Ok)
}

/// The sides whose names contain a word.
fn marked(word: Option<&str>, names: &[String]) -> Result<Vec<usize>> {
    let Some(word) = word else { return Ok(Vec::new()) };
    let is_called = |name: &String| name.to_lowercase().contains(&word.to_lowercase());
    let found: Vec<usize> = (0..names.len()).filter(|side| is_called(&names[*side])).collect();
    if found.is_empty() {
        return Err(Failure::usage(format!(
            "--mark {word}: no ranked drive has this in its name; the drives are {}",
            names.join(", ")
        )));
    }
    Ok(found)
}

/// The runs of the methodology, a side for each drive and profile, as far as they may be compared with each other.
fn read(context: &Context, arguments: &RankArgs) -> Result<Read> {
    let (data, catalog) = (context.data()?, context.catalog()?);
    let all = catalog.list()?;
    if all.is_empty() {
        return Err(Failure::nothing(NO_RUNS));
    }
    let of_method = |row: &&RunRow| {
        let tagged = arguments.tag.iter().all(|tag| row.label.tags.contains(tag));
        is_fit(row) && row.method == arguments.method && tagged
    };
    for row in all.iter().filter(|row| row.method == arguments.method) {
        if let Some(why) = &row.damaged {
            context.settings.voice.warn(format!("run {} is left out: {why}", row.id));
        }
    }
    let mut rows: Vec<RunRow> = all.iter().filter(of_method).rev().cloned().collect();
    let asked: Option<Form> = arguments.form.map(Into::into);
    rows.retain(|row| asked.is_none_or(|form| row.form == form));
    if rows.is_empty() {
        if !all.iter().any(|row| row.method == arguments.method) {
            // It may be misspelt.
            front::method::text(&arguments.method)?;
        }
        return Err(Failure::nothing(format!(
            "no complete run of '{}' of the faithful or quick form matches; `drivelab results list` lists all runs",
            arguments.method
        )));
    }
    let sides = vec![Side { word: String::new(), selection: true, rows }];
    let read = Read::new(context, &data, &catalog, Chosen { sides, by: Axis::Alike, alone_only: false }, 1)?;
    let left_out = |count: usize, why: &str| {
        let runs = if count == 1 { "1 run is".to_owned() } else { format!("{count} runs are") };
        if count > 0 {
            context.settings.voice.warn(format!("{runs} left out: {why}"));
        }
    };
    let all = read.runs().count();
    let read = if arguments.allow.contains(&Kind::Company) { read } else { read.alone() };
    left_out(all - read.runs().count(), TOGETHER);
    let (read, unlike) = read.like_most();
    left_out(unlike, "another version, form, parameters or conditions than the runs of most drives");
    Ok(read)
}

/// The address of the figure that was asked for, or of the first headline figure.
fn address(compared: &Compared<'_>, arguments: &RankArgs) -> Result<String> {
    let headlines = compared.headlines();
    let Some(word) = &arguments.by else {
        let first = headlines.first().map(|(address, _)| address.clone());
        return first.ok_or_else(|| Failure::nothing("these runs have no headline figure; name one with --by"));
    };
    let all: Vec<String> = compared.addresses();
    if all.contains(word) {
        return Ok(word.clone());
    }
    let lower = word.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&lower);
    let mut near: Vec<(String, String)> =
        headlines.iter().filter(|(address, words)| has(address) || has(words)).cloned().collect();
    if near.is_empty() {
        near = all.into_iter().filter(|address| has(address)).map(|address| (address, String::new())).collect();
    }
    match near.as_slice() {
        [(address, _)] => Ok(address.clone()),
        [] => Err(Failure::nothing(format!(
            "no figure is called '{word}'; the headline figures are\n{}",
            listed(&headlines)
        ))),
        several => Err(Failure::usage(format!(
            "'{word}' matches several figures; give one of these to --by:\n{}",
            listed(several)
        ))),
    }
}

/// A line for each figure, up to [`MOST_LISTED`].
fn listed(figures: &[(String, String)]) -> String {
    let line = |(address, words): &(String, String)| {
        if words.is_empty() { format!("  {address}") } else { format!("  {address}  ({words})") }
    };
    let mut lines: Vec<String> = figures.iter().take(MOST_LISTED).map(line).collect();
    let more = figures.len().saturating_sub(MOST_LISTED);
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    lines.join("\n")
}

impl Read {
    /// Model and serial number of the drive of each side.
    fn drives(&self) -> Vec<String> {
        let of_side =
            |runs: &Vec<Run>| runs.first().map_or_else(String::new, |run| run.digest.run.environment.drives());
        self.sides.iter().map(of_side).collect()
    }

    /// Without the runs that were measured at the same time as others.
    fn alone(self) -> Read {
        let is_alone = |run: &Run| run.digest.run.drives_at_once() == 1;
        self.only(|_, run| is_alone(run))
    }

    /// Of the runs that may be compared with each other those of the most sides, with the newest run if there are
    /// several such groups; and how many runs are left out.
    fn like_most(self) -> (Read, usize) {
        let digests: Vec<&Digest> = self.runs().map(|run| &run.digest).collect();
        let of = self.sides.iter().enumerate().flat_map(|(side, runs)| runs.iter().map(move |run| (side, run.row.id)));
        let of: Vec<(usize, RunId)> = of.collect();
        let count = |places: &Vec<usize>| places.iter().map(|at| of[*at].0).collect::<BTreeSet<usize>>().len();
        let newest = |places: &Vec<usize>| places.iter().map(|at| of[*at].1).max();
        let alone = (0..of.len()).map(|at| vec![at]);
        let groups = side_by_side(&digests).groups.into_iter().map(|group| group.places).chain(alone);
        let kept = groups.max_by_key(|places| (count(places), newest(places), places.len())).unwrap_or_default();
        let left_out = digests.len() - kept.len();
        (self.only(|place, _| kept.contains(&place)), left_out)
    }

    /// The runs that are wanted, by their place over all sides; sides without one are gone.
    fn only(self, wanted: impl Fn(usize, &Run) -> bool) -> Read {
        let mut place = 0..;
        let mut keep = |run: &Run| place.next().is_some_and(|place| wanted(place, run));
        let sides = self.sides.into_iter().map(|runs| runs.into_iter().filter(&mut keep).collect::<Vec<Run>>());
        Read { sides: sides.filter(|runs| !runs.is_empty()).collect(), words: self.words }
    }
}
