//! References in the text of an article: `{{ chart NAME }}` and others, and what they become.

use askama::Template;

use super::items::Items;
use super::prose::{BEGIN, END};
use super::scan::{self, Piece};
use super::types::{Material, Remark};
use crate::error::ReportError;
use crate::figure::escape;

/// Most characters of a value or a name that a message repeats.
const SHOWN: usize = 60;

/// The text with its references replaced.
#[derive(Debug, Default)]
pub(super) struct Expanded {
    /// Markdown: values are text, everything else a number between [`BEGIN`] and [`END`].
    pub(super) text: String,
    /// The HTML of each number.
    pub(super) blocks: Vec<String>,
    /// What the author has still to write.
    pub(super) gaps: Vec<Remark>,
    /// References that lead nowhere, and values that have changed.
    pub(super) mistakes: Vec<Remark>,
    /// Names of the charts, in the order of the text.
    pub(super) charts: Vec<String>,
    /// Names of the tables.
    pub(super) tables: Vec<String>,
    /// The findings that the text shows.
    pub(super) findings: Vec<FindingShown>,
}

/// A finding that the text shows.
#[derive(Debug)]
pub(super) struct FindingShown {
    /// Place of its run; `None` if it is shown of every run that has it.
    pub(super) run: Option<usize>,
    /// Its code.
    pub(super) code: String,
}

impl FindingShown {
    /// Whether it is this finding of the run at this place.
    pub(super) fn is(&self, run: usize, code: &str) -> bool {
        self.run.is_none_or(|own| own == run) && self.code == code
    }
}

/// The references that exist, for a message.
const KNOWN: &str = "chart NAME, table NAME, value ADDRESS, finding CODE, short, verdicts, choice, sheet, corners, scores, how, gap TEXT";

/// A gap in the text.
#[derive(Template)]
#[template(source = "<mark class=\"gap\">{{ text }}</mark>", ext = "html")]
struct Gap<'a> {
    text: &'a str,
}

/// Replaces every reference of a body that begins on this line. Code is left alone.
pub(super) fn expand(
    body: &str,
    first_line: usize,
    items: &Items<'_>,
    material: &Material<'_>,
) -> Result<Expanded, ReportError> {
    let mut out = Expanded::default();
    let mut number = first_line;
    // Whether the line has nothing but blanks so far.
    let mut is_blank = true;
    let pieces = scan::pieces(body);
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(text) | Piece::Code(text) => out.text.push_str(text),
            Piece::Open(text) => {
                out.text.push_str(text);
                let what = "a reference begins with {{ but has no }} on the same line".to_owned();
                out.mistakes.push(Remark { line: number, what });
            }
            Piece::Reference(inside) => {
                let ends = match pieces.get(at + 1) {
                    Some(Piece::Text(behind)) => behind.trim_start_matches([' ', '\t', '\r']).starts_with('\n'),
                    Some(_) => false,
                    None => true,
                };
                let last = matches!(&pieces[at + 1..], [Piece::Text(text)] if text.trim().is_empty());
                let alone = is_blank && (ends || last);
                reference(inside.trim(), (number, alone), items, material, &mut out)?;
            }
        }
        is_blank = match piece {
            Piece::Text(text) => match text.rsplit_once('\n') {
                Some((_, begun)) => begun.trim().is_empty(),
                None => is_blank && text.trim().is_empty(),
            },
            Piece::Code(text) | Piece::Open(text) => text.ends_with('\n'),
            Piece::Reference(_) => false,
        };
        number += piece.breaks();
    }
    Ok(out)
}

/// Replaces one reference.
fn reference(
    inside: &str,
    (line, alone): (usize, bool),
    items: &Items<'_>,
    material: &Material<'_>,
    out: &mut Expanded,
) -> Result<(), ReportError> {
    let (kind, rest) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let rest = rest.trim();
    let name = || rest.split_whitespace().collect::<Vec<_>>().join("-");
    let result: Result<Option<String>, String> = match kind {
        "gap" => {
            out.gaps.push(Remark { line, what: rest.to_owned() });
            Ok(Some(Gap { text: rest }.render()?))
        }
        "value" => {
            match value(rest, items, material) {
                Ok(text) => out.text.push_str(&escape::markdown(&text)),
                Err(what) => out.mistakes.push(Remark { line, what }),
            }
            return Ok(());
        }
        _ if !alone && is_block(kind) => Err(format!("{{{{ {kind} }}}} needs a line of its own")),
        "chart" => chart(&name(), items, out)?,
        "table" => table(&name(), items, out)?,
        "finding" => finding(rest, items, out)?,
        "short" | "verdicts" | "choice" | "sheet" | "corners" | "scores" | "how" => items.part(kind)?,
        other => Err(format!("unknown reference '{}'; known: {KNOWN}", cut(other))),
    };
    match result {
        Ok(Some(html)) => {
            out.text.push_str(&format!("{BEGIN}{}{END}", out.blocks.len()));
            out.blocks.push(html);
        }
        Ok(None) => {}
        Err(what) => out.mistakes.push(Remark { line, what }),
    }
    Ok(())
}

fn is_block(kind: &str) -> bool {
    ["chart", "table", "finding", "short", "verdicts", "choice", "sheet", "corners", "scores", "how"].contains(&kind)
}

fn cut(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Names for a message: those that have the wanted name in them, else the first ones, and how many more.
fn listed(names: &[String], wanted: &str) -> String {
    const MOST: usize = 12;
    let mut shown: Vec<&str> = names.iter().map(String::as_str).collect();
    shown.sort_by_key(|name| !name.contains(wanted));
    let near = shown.iter().take_while(|name| name.contains(wanted)).count();
    let most = if near > 0 { near.min(MOST) } else { MOST };
    match names.len() {
        0 => "none".to_owned(),
        few if few <= most => shown.join(", "),
        many => format!("{} and {} more (`drivelab article list`)", shown[..most].join(", "), many - most),
    }
}

type Block = Result<Option<String>, String>;

fn chart(name: &str, items: &Items<'_>, out: &mut Expanded) -> Result<Block, ReportError> {
    let Some(html) = items.chart_html(name)? else {
        return Ok(Err(format!("no chart '{}'; charts: {}", cut(name), listed(&items.chart_names(), name))));
    };
    if out.charts.iter().any(|known| known == name) {
        return Ok(Err(format!("the chart '{name}' is shown twice; keep one")));
    }
    out.charts.push(name.to_owned());
    out.tables.push(name.to_owned());
    Ok(Ok(Some(html)))
}

fn table(name: &str, items: &Items<'_>, out: &mut Expanded) -> Result<Block, ReportError> {
    let Some(html) = items.table_html(name)? else {
        return Ok(Err(format!("no table '{}'; tables: {}", cut(name), listed(&items.table_names(), name))));
    };
    if !out.tables.iter().any(|known| known == name) {
        out.tables.push(name.to_owned());
    }
    Ok(Ok(Some(html)))
}

fn finding(name: &str, items: &Items<'_>, out: &mut Expanded) -> Result<Block, ReportError> {
    let (run, code) = match items.lettered(name) {
        Ok(found) => found,
        Err(what) => return Ok(Err(what)),
    };
    let Some(html) = items.finding(run, code)? else {
        let known = listed(&items.finding_codes(), name);
        return Ok(Err(format!("no run has the finding '{}'; findings: {known}", cut(name))));
    };
    out.findings.push(FindingShown { run, code: code.to_owned() });
    Ok(Ok(Some(html)))
}

/// The figure of an address, such as `corners/seq-1m-q8t1-read:read.throughput`; of several runs with the letter of
/// the run before it: `B corners/…`. Behind `=` stands what the author saw; another value is a mistake.
fn value(text: &str, items: &Items<'_>, material: &Material<'_>) -> Result<String, String> {
    let (address, expected) = match text.split_once('=') {
        Some((address, expected)) => (address.trim(), Some(expected.trim())),
        None => (text, None),
    };
    let now = items.value(address, material)?;
    match expected.filter(|expected| bare(expected) != bare(&now)) {
        None => Ok(now),
        Some(expected) => Err(format!(
            "{} is {now} in the run, but the article says {}; update the value and the text around it",
            cut(address),
            cut(expected)
        )),
    }
}

/// A figure without what authors leave out: separators, blanks and signs.
fn bare(figure: &str) -> String {
    figure.chars().filter(|sign| !(sign.is_whitespace() || ",≥≤▲▼◆≈".contains(*sign))).collect()
}
