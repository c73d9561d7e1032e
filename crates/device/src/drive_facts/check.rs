//! From text to facts: TOML, then the types, then the rules that types cannot express.
//!
//! Owns the rules for a file as a whole: sources exist and are used, patterns identify a model, capacities are in
//! order. A rule gives a position as keys; the parsed tree of the file gives its bytes.

use std::collections::BTreeSet;
use std::ops::Range;

use drivelab_core::drive_facts::{DriveFacts, FORMAT, Figures, ModelPattern};
use toml::de::{DeTable, DeValue};

use super::wrong::{FactsError, Mistake};

/// Fewest literal characters of a pattern: with fewer it would match drives of other makers.
const LEAST_LITERAL: usize = 3;

/// Most syntax errors that are shown; further ones in a broken file are mostly consequences of the first.
const SYNTAX_ERRORS: usize = 10;

/// A step on the way to a value.
#[derive(Debug, Clone, Copy)]
enum Part {
    Key(&'static str),
    Index(usize),
}

/// Reads and checks.
pub(super) fn parse(file_name: &str, text: &str) -> Result<DriveFacts, FactsError> {
    let wrong = |mistakes| FactsError::Wrong { file: file_name.to_owned(), text: text.to_owned(), mistakes };
    let (tree, syntax) = DeTable::parse_recoverable(text);
    if !syntax.is_empty() {
        let one = |error: &toml::de::Error| Mistake {
            at: error.span().unwrap_or(0..0),
            title: "the file is not valid TOML".to_owned(),
            help: error.message().to_owned(),
        };
        return Err(wrong(syntax.iter().take(SYNTAX_ERRORS).map(one).collect()));
    }
    let facts: DriveFacts = toml::from_str(text).map_err(|error| {
        let help = "docs/guide/drives.md lists the keys and what each takes".to_owned();
        wrong(vec![Mistake { at: error.span().unwrap_or(0..0), title: error.message().trim().to_owned(), help }])
    })?;
    let mut rules = Rules { tree: tree.get_ref(), mistakes: Vec::new() };
    rules.head(&facts);
    rules.models(&facts);
    rules.sources(&facts);
    rules.capacities(&facts);
    if rules.mistakes.is_empty() { Ok(facts) } else { Err(wrong(rules.mistakes)) }
}

/// The file's tree and the mistakes found so far.
struct Rules<'t, 'i> {
    tree: &'t DeTable<'i>,
    mistakes: Vec<Mistake>,
}

impl Rules<'_, '_> {
    fn wrong(&mut self, place: &[Part], title: impl Into<String>, help: impl Into<String>) {
        let at = span(self.tree, place);
        self.mistakes.push(Mistake { at, title: title.into(), help: help.into() });
    }

    fn head(&mut self, facts: &DriveFacts) {
        if facts.format != FORMAT {
            let title = format!("format {} is not known", facts.format);
            self.wrong(&[Part::Key("format")], title, format!("this drivelab reads format {FORMAT}"));
        }
        let words: Vec<&str> = facts.name.split('-').collect();
        let sign = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit();
        if words.iter().any(|word| word.is_empty() || !word.chars().all(sign)) {
            let help = "write lower-case letters, digits and single hyphens, such as samsung-970-evo";
            self.wrong(&[Part::Key("name")], format!("'{}' is not a short name", facts.name), help);
        }
        for (key, text) in [("title", &facts.title), ("maker", &facts.maker)] {
            if text.trim().is_empty() {
                self.wrong(&[Part::Key(key)], format!("the {key} is empty"), "write it as people usually do");
            }
        }
    }

    fn models(&mut self, facts: &DriveFacts) {
        if facts.models.is_empty() {
            let help = "write at least one pattern, such as { pattern = \"Samsung SSD 970 EVO #TB\", … }";
            self.wrong(&[Part::Key("models")], "no model would ever match", help);
        }
        let too_wide = |pattern: &ModelPattern| pattern.literal() < LEAST_LITERAL;
        for (index, _) in facts.models.iter().enumerate().filter(|(_, pattern)| too_wide(pattern)) {
            let place = [Part::Key("models"), Part::Index(index), Part::Key("pattern")];
            let help = format!("write at least {LEAST_LITERAL} characters besides * and #");
            self.wrong(&place, "the pattern matches drives of any maker", help);
        }
    }

    fn sources(&mut self, facts: &DriveFacts) {
        let mut known = BTreeSet::new();
        for (index, source) in facts.sources.iter().enumerate() {
            let place = [Part::Key("sources"), Part::Index(index)];
            if source.id.trim().is_empty() || source.citation.trim().is_empty() {
                self.wrong(
                    &place,
                    "a source needs an id and a citation",
                    "write the author, the place and the date of the statement",
                );
            }
            if !known.insert(source.id.as_str()) {
                self.wrong(&place, format!("the source {} is listed twice", source.id), "give each its own id");
            }
        }
        let mut used = BTreeSet::new();
        for (place, id) in uses(facts) {
            if !known.contains(id) {
                let help = "add it to [[sources]], or name one that is listed";
                self.wrong(&place, format!("the source {id} is not among the file's sources"), help);
            }
            used.insert(id);
        }
        for (index, source) in facts.sources.iter().enumerate().filter(|(_, source)| !used.contains(source.id.as_str()))
        {
            let place = [Part::Key("sources"), Part::Index(index)];
            let help = "leave it out, or name it as the source of a figure";
            self.wrong(&place, format!("nothing here comes from the source {}", source.id), help);
        }
    }

    fn capacities(&mut self, facts: &DriveFacts) {
        for (index, pair) in facts.capacities.windows(2).enumerate() {
            if pair[0].capacity.value >= pair[1].capacity.value {
                let place = [Part::Key("capacities"), Part::Index(index + 1), Part::Key("capacity")];
                self.wrong(
                    &place,
                    "this capacity is not larger than the one before",
                    "list each capacity once, smallest first",
                );
            }
        }
        for (index, one) in facts.capacities.iter().enumerate() {
            if one.source.is_some() != one.certainty.is_some() {
                let place = [Part::Key("capacities"), Part::Index(index), Part::Key("capacity")];
                self.wrong(&place, "source and certainty of a capacity go together", "write both, or neither");
            }
        }
        for (place, figures) in tables(facts) {
            let watts = |key: &str| figures.rows().into_iter().find(|row| row.key == key).and_then(|row| row.number);
            if let (Some(idle), Some(active)) = (watts("power_idle"), watts("power_active"))
                && idle > active
            {
                let place = [place.as_slice(), &[Part::Key("power_idle")]].concat();
                self.wrong(&place, "idle draws more than active", "check both, and their units");
            }
        }
    }
}

/// Every place that names a source, with the source's id.
fn uses(facts: &DriveFacts) -> Vec<(Vec<Part>, &str)> {
    let mut all: Vec<(Vec<Part>, &str)> = Vec::new();
    for (index, model) in facts.models.iter().enumerate() {
        all.push((vec![Part::Key("models"), Part::Index(index), Part::Key("source")], model.source.as_str()));
    }
    for (index, one) in facts.capacities.iter().enumerate() {
        let place = || vec![Part::Key("capacities"), Part::Index(index), Part::Key("source")];
        all.extend(one.source.as_deref().map(|source| (place(), source)));
    }
    for (place, figures) in tables(facts) {
        for row in figures.rows() {
            all.push(([place.as_slice(), &[Part::Key(row.key), Part::Key("source")]].concat(), row.source));
        }
    }
    all
}

/// The tables of figures: the model's and each capacity's.
fn tables(facts: &DriveFacts) -> Vec<(Vec<Part>, &Figures)> {
    let mut all = vec![(vec![Part::Key("figures")], &facts.figures)];
    for (index, one) in facts.capacities.iter().enumerate() {
        all.push((vec![Part::Key("capacities"), Part::Index(index), Part::Key("figures")], &one.figures));
    }
    all
}

/// The bytes of the value that the keys lead to; of the last value found if the path ends early.
fn span(tree: &DeTable<'_>, place: &[Part]) -> Range<usize> {
    let Some((Part::Key(first), rest)) = place.split_first() else { return 0..0 };
    let Some(value) = tree.get(*first) else { return 0..0 };
    let (mut value, mut at) = (value.get_ref(), value.span());
    for part in rest {
        let next = match (part, value) {
            (Part::Key(key), DeValue::Table(table)) => table.get(*key),
            (Part::Index(index), DeValue::Array(list)) => list.get(*index),
            _ => None,
        };
        let Some(next) = next else { break };
        (value, at) = (next.get_ref(), next.span());
    }
    at
}
