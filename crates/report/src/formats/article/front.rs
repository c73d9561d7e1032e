//! The front matter of an article: TOML between two lines of `+++`.

use drivelab_core::excerpt::line_and_column;
use serde::Deserialize;
use toml::de::{DeTable, DeValue};

use super::types::Remark;

/// The line before and after the front matter.
pub(super) const FENCE: &str = "+++";

/// What an article says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Front {
    /// Its title.
    pub title: String,
    /// Who wrote it.
    #[serde(default)]
    pub author: String,
    /// The day it was published.
    #[serde(default)]
    pub date: String,
    /// The drives that it is about, as the author calls them.
    #[serde(default)]
    pub drives: Vec<String>,
    /// What they cost.
    #[serde(default)]
    pub price: String,
    /// The machine, as far as drivelab cannot read it.
    #[serde(default)]
    pub bench: String,
    /// How the drives were cooled.
    #[serde(default)]
    pub cooling: String,
    /// Who provided the drives, and on what terms.
    #[serde(default)]
    pub disclosure: String,
    /// Ids of the runs that it shows.
    #[serde(default)]
    pub runs: Vec<String>,
    /// What they are compared with, as `drivelab compare` takes it.
    #[serde(default)]
    pub against: Vec<String>,
    /// The side that the others are compared with; the first if it is absent.
    #[serde(default)]
    pub base: Option<String>,
    /// Differences between runs that the author allows.
    #[serde(default)]
    pub allow: Vec<String>,
}

impl Front {
    /// The facts for the head of the page, as pairs of name and text.
    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("Drives", self.drives.join(", ")),
            ("Price", self.price.clone()),
            ("Bench", self.bench.clone()),
            ("Cooling", self.cooling.clone()),
            ("Disclosure", self.disclosure.clone()),
        ];
        all.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect()
    }
}

/// The parts of an article.
pub(super) struct Parts<'t> {
    pub(super) front: Front,
    /// The front matter as it was written.
    pub(super) front_text: &'t str,
    /// The text behind it.
    pub(super) body: &'t str,
    /// The line on which that begins.
    pub(super) first_line: usize,
}

/// The front matter, and the text behind it.
pub(super) fn split(text: &str) -> Result<Parts<'_>, Remark> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let wrong = |line: usize, what: &str| Remark { line, what: what.to_owned() };
    let missing =
        "an article begins with its front matter, TOML between two lines of +++ (`drivelab article new` makes it)";
    let mut at = 0;
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() == "---" {
        return Err(wrong(1, "the front matter is TOML between two lines of +++, and not YAML between lines of ---"));
    }
    if first.trim_end() != FENCE {
        return Err(wrong(1, missing));
    }
    at += first.len();
    let begin = at;
    for (number, line) in (2_usize..).zip(lines) {
        if line.trim_end() == FENCE {
            let front_text = text.get(begin..at).unwrap_or_default();
            let body = text.get(at + line.len()..).unwrap_or_default();
            return Ok(Parts { front: read(front_text)?, front_text, body, first_line: number + 1 });
        }
        at += line.len();
    }
    Err(wrong(1, "the front matter does not end: a second line of +++ is missing"))
}

/// A message of the TOML reader with what to do.
fn hinted(message: &str) -> String {
    let hint = match message {
        _ if message.contains("expected a string") => ": put it in quotes",
        _ if message.contains("expected a sequence") => ": write a list in square brackets",
        _ => "",
    };
    format!("{message}{hint}")
}

/// The line of the file with a value of a key: of a word of its list, of the value if there is no such word, and the
/// first line if there is no such key.
pub(super) fn line_of(text: &str, key: &str, word: &str) -> usize {
    let table = DeTable::parse(text);
    let value = table.as_ref().ok().and_then(|table| table.get_ref().get(key));
    let of_list = value.and_then(|value| match value.get_ref() {
        DeValue::Array(words) => words.iter().find(|one| one.get_ref().as_str() == Some(word)),
        _ => None,
    });
    // The fence is line 1.
    of_list.or(value).map_or(1, |value| 1 + line_and_column(text, value.span().start).0)
}

fn read(text: &str) -> Result<Front, Remark> {
    let front: Front = toml::from_str(text).map_err(|error| {
        // The fence is line 1.
        let line = 1 + error.span().map_or(1, |span| line_and_column(text, span.start).0);
        Remark { line, what: hinted(error.message()) }
    })?;
    let at = |key: &str| line_of(text, key, "");
    if front.title.trim().is_empty() {
        return Err(Remark { line: at("title"), what: "the title is empty".to_owned() });
    }
    if front.runs.is_empty() && front.against.is_empty() {
        let what = "nothing is shown: name at least one run in `runs`, or published drives in `against`";
        return Err(Remark { line: at("runs"), what: what.to_owned() });
    }
    Ok(front)
}
