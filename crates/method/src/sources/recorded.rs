//! The text of a methodology as a bundle keeps it, and the way back from that text.
//!
//! Owns how included texts and settings stand in it: as comments behind the text of the file, so that the whole is
//! still the file.

use std::collections::VecDeque;
use std::fmt::Write as _;

use crate::methodology::Methodology;
use crate::parse::read::unexpanded_with;
use crate::sources::include::Reader;

/// What a line before an included text begins with; its name follows.
const HEADING: &str = "# ---- ";

/// What stands before each line of an included text.
const QUOTED: &str = "# ";

/// How the text of a setting is called: this and the setting.
pub(crate) const SET_FLAG: &str = "--set ";

impl Methodology {
    /// The text for the record: the file's own text and then, as comments, every included text and the settings, so
    /// that the record shows what ran.
    #[must_use]
    pub fn recorded_text(&self) -> String {
        let mut text = self.source_text().to_owned();
        for other in self.texts().others() {
            let _ = write!(text, "\n{HEADING}{}\n", other.name);
            for line in other.text.lines() {
                let _ = writeln!(text, "{QUOTED}{line}");
            }
        }
        text
    }

    /// The methodology of a recorded text, with the profile and the settings that it was recorded with. `None` if this
    /// version no longer reads it. Nothing else is read: neither included files nor the built-in library, both of
    /// which may have changed since.
    #[must_use]
    pub fn of_record(text: &str, profile: &str) -> Option<Methodology> {
        let (own, mut others) = parts(text);
        let settings_from = others.iter().position(|(name, _)| name.starts_with(SET_FLAG)).unwrap_or(others.len());
        let settings = others.split_off(settings_from);
        let settings: Vec<String> =
            settings.iter().filter_map(|(name, _)| name.strip_prefix(SET_FLAG)).map(str::to_owned).collect();
        let method = unexpanded_with(Reader::with_texts(others), "methodology.toml", own).ok()?;
        let method = if profile.is_empty() { method } else { method.chosen(profile)? };
        method.with_settings(&settings).ok()
    }
}

/// The file's own text, and the included texts with their names, in the order in which they were read.
fn parts(text: &str) -> (&str, VecDeque<(String, String)>) {
    let quoted = |line: &str| line.is_empty() || line.starts_with(QUOTED);
    let heading = format!("\n{HEADING}");
    let ends = text.match_indices(&heading).map(|(at, _)| at);
    // Behind the file's own text there are only comments; a comment of its own that looks like a heading is not the
    // first of them.
    let Some(end) = ends.into_iter().find(|end| text[*end..].lines().all(quoted)) else {
        return (text, VecDeque::new());
    };
    let mut others: VecDeque<(String, String)> = VecDeque::new();
    let mut blank = false;
    for line in text[end..].lines() {
        match (line.strip_prefix(HEADING), others.back_mut()) {
            (Some(name), _) if blank => others.push_back((name.to_owned(), String::new())),
            (_, Some((_, other))) if !line.is_empty() => {
                other.push_str(line.strip_prefix(QUOTED).unwrap_or(line));
                other.push('\n');
            }
            _ => {}
        }
        blank = line.is_empty();
    }
    (&text[..end], others)
}
