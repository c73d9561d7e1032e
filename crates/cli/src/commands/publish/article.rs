//! `drivelab article`: a draft about runs, its page, and its charts for a site of the author's own.

mod assets;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};

use drivelab_analysis::Analysis;
use drivelab_analysis::digest::Digest;
use drivelab_analysis::side_by_side::Kind;
use drivelab_core::exit::ExitCode;
use drivelab_core::input;
use drivelab_core::plan::Form;
use drivelab_core::run::RunRecords;
use drivelab_lab::output::new_file::NewFile;
use drivelab_lab::output::pages::{OutputFile, without_names};
use drivelab_lab::{Failure, Result};
use drivelab_report::format::counted;
use drivelab_report::{Article, Built, Front, LARGEST_PICTURE, Material, Picture, Remark, ReportInput, Sides, draft};

use crate::args::{ArticleCommand, CompareArgs, kind};
use crate::commands::compare;
use crate::context::Context;
use crate::say;

/// Most bytes of an article.
const LONGEST: u64 = 4 << 20;

/// Runs the command.
///
/// # Errors
/// A run that there is not, a mistake in the article, a file that cannot be written; of `check` also something that is
/// still open.
pub fn article(context: &Context, command: &ArticleCommand) -> Result {
    match command {
        ArticleCommand::New { runs, against, allow, output } => new(context, (runs, against, allow), output),
        ArticleCommand::Build { article, output, assets, redact } => {
            build(context, article, output.as_deref(), assets.as_deref(), *redact)
        }
        ArticleCommand::Check { article } => check(context, article),
        ArticleCommand::List { article } => list(context, article),
    }
}

/// The runs of an article, and what they are compared with.
struct Loaded {
    runs: Vec<(RunRecords, Analysis)>,
    digests: Vec<Digest>,
    sides: Sides,
}

/// What a front matter names and cannot be used.
struct Unusable {
    key: &'static str,
    /// The word of the key's list; empty if it is about all of them.
    word: String,
    why: Failure,
}

impl Unusable {
    fn new(key: &'static str, word: &str, why: Failure) -> Unusable {
        Unusable { key, word: word.to_owned(), why }
    }

    /// With the line of the file.
    fn in_file(self, path: &Path, article: &Article) -> Failure {
        let line = article.line_of(self.key, &self.word);
        Failure { message: format!("{}:{line}: {}", path.display(), self.why.message), ..self.why }
    }
}

impl Loaded {
    /// Reads what a front matter names.
    fn of(context: &Context, front: &Front, redact: bool) -> std::result::Result<Loaded, Unusable> {
        let mut rows = Vec::new();
        let mut runs = Vec::new();
        for name in &front.runs {
            let of_run = |why| Unusable::new("runs", name, why);
            let row = context.find_named(name).map_err(of_run)?;
            let (records, analysis) = context.load(row.id).map_err(of_run)?;
            if records.plan.form == Form::Smoke {
                return Err(of_run(Failure::usage(format!(
                    "run {} is in smoke form, which is too short for meaningful figures: use a run in quick or \
                     faithful form",
                    records.run
                ))));
            }
            rows.push(row);
            runs.push((records, analysis));
        }
        if redact {
            runs = without_names(runs);
        }
        let words: Vec<String> =
            rows.iter().map(|row| row.id.to_string()).chain(front.against.iter().cloned()).collect();
        let alone = front.against.is_empty() && words.len() < 2;
        let (digests, mut sides) = match alone {
            true => (Vec::new(), without_comparison(front)?),
            false => compared(context, front, &words, redact)?,
        };
        sides.redact = redact;
        Ok(Loaded { runs, digests, sides })
    }

    /// Passes everything to `make`, as the report takes it.
    fn with<T>(&self, make: impl FnOnce(&Material<'_>) -> Result<T>) -> Result<T> {
        let runs: Vec<ReportInput<'_>> =
            self.runs.iter().map(|(records, analysis)| ReportInput { records, analysis }).collect();
        let digests: Vec<&Digest> = self.digests.iter().collect();
        make(&Material { runs: &runs, digests: &digests, sides: &self.sides })
    }
}

/// No sides, for a single run.
fn without_comparison(front: &Front) -> std::result::Result<Sides, Unusable> {
    if front.base.is_some() || !front.allow.is_empty() {
        let key = if front.base.is_some() { "base" } else { "allow" };
        let why = "`base` and `allow` in the front matter need a comparison, but there is only one run: name others in \
                   `against`, or leave them out";
        return Err(Unusable::new(key, "", Failure::usage(why)));
    }
    Ok(Sides::alone(0))
}

/// The digests and the sides of a comparison.
fn compared(
    context: &Context,
    front: &Front,
    words: &[String],
    redact: bool,
) -> std::result::Result<(Vec<Digest>, Sides), Unusable> {
    if let Some(unknown) = front.allow.iter().find(|name| kind(name).is_none()) {
        let known: Vec<&str> = Kind::ALL.into_iter().map(Kind::name).collect();
        let why = format!("'{unknown}' in `allow` is not a known difference; choose from {}", known.join(", "));
        return Err(Unusable::new("allow", unknown, Failure::usage(why)));
    }
    let mut arguments = CompareArgs::of(words, front.base.as_deref(), &front.allow)
        .map_err(|error| Unusable::new("base", "", Failure::usage(error.to_string())))?;
    arguments.redact = redact;
    let unasked = front.against.is_empty() && front.base.is_none() && front.allow.is_empty();
    match compare::for_article(context, &arguments) {
        // Nobody asked for a comparison: two tests of one drive have nothing in common.
        Err(why) if unasked && why.code == ExitCode::NothingSelected => {
            context.settings.voice.warn(format!("the runs are not compared: {}", why.message));
            Ok((Vec::new(), Sides::alone(0)))
        }
        compared => compared.map_err(|why| {
            let about = why.about.clone().unwrap_or_default();
            let key = match &front.base {
                Some(base) if *base == about => "base",
                _ if !front.against.is_empty() => "against",
                _ => "runs",
            };
            Unusable::new(key, &about, why)
        }),
    }
}

fn new(context: &Context, (runs, against, allow): (&[String], &[String], &[String]), output: &Path) -> Result {
    if runs.is_empty() && against.is_empty() {
        return Err(Failure::usage("name a run (`drivelab article new last`), or published figures with --against"));
    }
    let taken = || {
        Failure::usage(format!(
            "{} exists and is not replaced, because it may contain your text; name another file with -o",
            output.display()
        ))
    };
    if output.symlink_metadata().is_ok() {
        return Err(taken());
    }
    let ids = runs.iter().map(|name| Ok(context.find_named(name)?.id.to_string())).collect::<Result<Vec<_>>>()?;
    let mut front = Front { runs: ids, against: against.to_vec(), allow: allow.to_vec(), ..Front::default() };
    let loaded = Loaded::of(context, &front, false).map_err(|wrong| wrong.why)?;
    // Words that the author publishes, with --redact or without.
    let drive = |(records, _): &(RunRecords, Analysis)| {
        let mut environment = records.environment.clone();
        environment.redact();
        drivelab_report::drive_title(&environment)
    };
    for name in loaded.runs.iter().map(drive) {
        if !front.drives.contains(&name) {
            front.drives.push(name);
        }
    }
    // What the user has stated about a run need not be written again.
    let stated = |key: &str| {
        let of_run = |(records, _): &(RunRecords, Analysis)| records.label.conditions.get(key).cloned();
        loaded.runs.iter().find_map(of_run).unwrap_or_default()
    };
    (front.price, front.cooling) = (stated("price"), stated("cooling"));
    front.title = match front.drives.as_slice() {
        [] => "Published figures side by side".to_owned(),
        drives => format!("{}: a review", drives.join(" and ")),
    };
    front.date = loaded
        .runs
        .iter()
        .map(|(records, _)| records.started.get(..10).unwrap_or_default())
        .max()
        .unwrap_or_default()
        .to_owned();
    let text = loaded.with(|material| Ok(draft(&front, material)))?;
    let made = NewFile::begin(output.parent().unwrap_or(Path::new(""))).and_then(|new| {
        new.file().write_all(text.as_bytes())?;
        new.place(output)
    });
    made.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => taken(),
        _ => Failure::unusable(format!("cannot write {}: {error}", output.display())),
    })?;
    let name = output.display();
    context.settings.voice.say(format!("Wrote {name}; fill its gaps, then `drivelab article build {name}`"));
    Ok(ExitCode::Ok)
}

/// An article with everything that it names.
struct Opened {
    path: PathBuf,
    article: Article,
    loaded: Loaded,
    pictures: BTreeMap<String, std::result::Result<Picture, String>>,
}

fn open(context: &Context, path: &Path, redact: bool) -> Result<Opened> {
    let unreadable = |error: std::io::Error| {
        let text = format!("{} cannot be read: {error}", path.display());
        if error.kind() == ErrorKind::NotFound { Failure::nothing(text) } else { Failure::usage(text) }
    };
    let text = input::read_text(path, LONGEST).map_err(unreadable)?;
    let article = Article::parse(&text).map_err(|wrong| mistakes(path, &[wrong]))?;
    let loaded = Loaded::of(context, &article.front, redact).map_err(|wrong| wrong.in_file(path, &article))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = |name: String| {
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let picture = match Path::new(&name).components().all(inside) {
            true => read_picture(&folder.join(&name)),
            false => Err("is not in the folder of the article: save it there".to_owned()),
        };
        (name, picture)
    };
    let local = article.pictures().into_iter().map(|(_, name)| name).filter(|name| !name.contains("://"));
    let pictures = local.collect::<BTreeSet<String>>().into_iter().map(read).collect();
    Ok(Opened { path: path.to_owned(), article, loaded, pictures })
}

/// A picture, or why it cannot be one, as a part of a sentence.
fn read_picture(path: &Path) -> std::result::Result<Picture, String> {
    let size = std::fs::metadata(path).map_err(|error| format!("cannot be read: {error}"))?.len();
    if let Some(why) = Picture::too_large(size) {
        return Err(why);
    }
    let bytes = input::read(path, LARGEST_PICTURE as u64).map_err(|error| format!("cannot be read: {error}"))?;
    Picture::read(bytes)
}

/// Mistakes in an article, each with its line.
fn mistakes(path: &Path, all: &[Remark]) -> Failure {
    let lines: Vec<String> = all.iter().map(|one| format!("{}:{}: {}", path.display(), one.line, one.what)).collect();
    Failure::usage(lines.join("\n"))
}

impl Opened {
    fn built(&self) -> Result<Built> {
        self.loaded
            .with(|material| self.article.build(material, &self.pictures)?.map_err(|all| mistakes(&self.path, &all)))
    }
}

fn build(context: &Context, path: &Path, output: Option<&Path>, folder: Option<&Path>, redact: bool) -> Result {
    let voice = &context.settings.voice;
    if output == Some(Path::new("-")) {
        return Err(Failure::usage("a page cannot be written to stdout: name a file with -o"));
    }
    let output = OutputFile::check(&output.map_or_else(|| path.with_extension("html"), Path::to_owned))?;
    let folder = folder.map(assets::Folder::of).transpose()?;
    let built = open(context, path, redact)?.built()?;
    output.write(&built.page)?;
    voice.say(format!("Wrote {}", output.path().display()));
    if let Some(folder) = folder {
        folder.write(voice, &built)?;
    }
    for (count, what) in [(built.gaps.len(), "still to be written"), (built.remarks.len(), "with unmatched figures")] {
        if count > 0 {
            let places = counted(count, "place");
            voice.warn(format!("{places} {what}; `drivelab article check {}` lists them", path.display()));
        }
    }
    Ok(ExitCode::Ok)
}

fn check(context: &Context, path: &Path) -> Result {
    let built = open(context, path, false)?.built()?;
    let gaps = built.gaps.iter().map(|gap| (gap.line, format!("still to be written: {}", gap.what)));
    let unlike = built.remarks.iter().map(|remark| (remark.line, remark.what.clone()));
    let mut all: Vec<(usize, String)> = gaps.chain(unlike).collect();
    all.sort();
    let lines: String =
        all.iter().map(|(line, what)| format!("{}:{line}: {}\n", path.display(), say::plain(what))).collect();
    if all.is_empty() {
        context.settings.voice.say("No open gaps; every figure in the text matches the sources");
        return Ok(ExitCode::Ok);
    }
    say::data(&lines)?;
    let gaps = counted(built.gaps.len(), "gap");
    let what = format!("{gaps} to fill, {} to check", counted(built.remarks.len(), "figure"));
    Err(Failure::new(ExitCode::AcceptanceFailed, what))
}

fn list(context: &Context, path: &Path) -> Result {
    let opened = open(context, path, false)?;
    let text = opened.loaded.with(|material| Ok(drivelab_report::article_items(material)))?;
    say::data(&text)?;
    Ok(ExitCode::Ok)
}
