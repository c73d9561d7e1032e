//! The short answer: a few sentences about the drive made from facts, and what it is good for.
//!
//! Words and order only: facts and verdicts come from `analysis::suitability`.

use drivelab_analysis::suitability::{Fact, Outcome, Reason, UseVerdict};
use drivelab_core::data_sheet::{DataSheet, PrintedFigure};
use drivelab_core::verdict_rules::FactKind;

use crate::figure::cells::unit_text;
use crate::figure::format::{self, capital};
use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};
use crate::words::run_facts;

/// The short answer of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Short {
    /// Sentences, the most important first.
    pub(crate) sentences: Vec<String>,
    /// What the drive is good for, a row for each use; empty if there is no verdict.
    pub(crate) verdicts: Vec<VerdictView>,
    /// Why there is no verdict at all; empty if there is one, or if nothing is known of a drive.
    pub(crate) no_verdict: String,
    /// Facts that are unknown for every recommended use, conditionally or not; empty below two such uses.
    pub(crate) not_known: String,
}

impl Short {
    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        self.sentences.is_empty() && self.verdicts.is_empty()
    }

    /// The line below the verdicts: why there are none, or what is not known; empty if there is nothing to say.
    pub(crate) fn below_verdicts(&self) -> &str {
        if self.verdicts.is_empty() { &self.no_verdict } else { &self.not_known }
    }
}

/// The verdict for one use.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VerdictView {
    /// The use.
    pub(crate) title: String,
    /// The verdict in words.
    pub(crate) words: &'static str,
    /// Name of its look.
    pub(crate) class: &'static str,
    /// Why, in a sentence or two.
    pub(crate) why: String,
    /// Where the thresholds come from, a sentence each.
    pub(crate) sources: Vec<String>,
}

/// The short answer of a run.
pub(crate) fn of_run(input: &ReportInput<'_>) -> Short {
    let mut sentences = run_facts::answers(input);
    let Some(suitability) = &input.analysis.suitability else {
        return Short { sentences, ..Short::default() };
    };
    let facts = Facts {
        all: &suitability.facts,
        did_not_happen: &suitability.did_not_happen,
        sheet: input.records.environment.data_sheet.as_deref(),
    };
    let answered = !sentences.is_empty();
    sentences.extend(facts.sentences(answered));
    let none = suitability.none_because.as_ref().filter(|_| !suitability.facts.is_empty());
    let common = unknown_of_all(&suitability.uses);
    Short {
        sentences,
        verdicts: suitability.uses.iter().map(|one| verdict(one, &common)).collect(),
        no_verdict: none.map(|why| format!("No verdict: {why}.")).unwrap_or_default(),
        not_known: not_known(&common).unwrap_or_default(),
    }
}

/// The facts that are unknown for every recommended use, conditionally or not; none below two such uses.
fn unknown_of_all(uses: &[UseVerdict]) -> Vec<FactKind> {
    let given: Vec<&UseVerdict> = uses.iter().filter(|one| names_unknown(one)).collect();
    let in_all = |kind: &FactKind| given.iter().all(|one| one.unknown.contains(kind));
    if given.len() < 2 { Vec::new() } else { FactKind::ALL.into_iter().filter(in_all).collect() }
}

/// Whether a verdict lists unknown facts.
fn names_unknown(of: &UseVerdict) -> bool {
    matches!(of.outcome, Outcome::Recommended | Outcome::Conditional)
}

/// The sentence about unknown facts; `None` without any.
pub(crate) fn not_known(kinds: &[FactKind]) -> Option<String> {
    (!kinds.is_empty()).then(|| format!("Not known: {}.", titles(kinds)))
}

/// Kinds of facts as a list in words.
fn titles(kinds: &[FactKind]) -> String {
    kinds.iter().map(|kind| kind.title()).collect::<Vec<_>>().join(", ")
}

/// The verdicts as a table.
pub(crate) fn table(verdicts: &[VerdictView]) -> Table {
    let columns = vec![Column::words("Use"), Column::words("Verdict"), Column::words("Why")];
    let row = |one: &VerdictView| vec![Cell::text(&*one.title), Cell::text(one.words), Cell::text(&*one.why)];
    Table { caption: "What it is good for".to_owned(), columns, rows: verdicts.iter().map(row).collect() }
}

/// The verdict for one use in words. `common`: unknown facts that are listed below all verdicts.
fn verdict(of: &UseVerdict, common: &[FactKind]) -> VerdictView {
    let mut parts: Vec<String> = of.reasons.iter().map(reason).collect();
    if of.outcome == Outcome::Unknown && !of.missing.is_empty() {
        parts.push(format!("Missing: {}.", titles(&of.missing)));
    }
    if !of.undecided.is_empty() {
        parts.push(format!("Inconclusive (bounded or disturbed): {}.", titles(&of.undecided)));
    }
    let unknown: Vec<FactKind> = of.unknown.iter().filter(|kind| !common.contains(kind)).copied().collect();
    parts.extend(not_known(&unknown).filter(|_| names_unknown(of)));
    VerdictView {
        title: of.title.clone(),
        words: of.outcome.words(),
        class: match of.outcome {
            Outcome::Recommended => "good",
            Outcome::Conditional => "beware",
            Outcome::NotRecommended => "bad",
            Outcome::Unknown => "unknown",
        },
        why: parts.join(" "),
        sources: of.reasons.iter().map(source).collect(),
    }
}

/// Condition, figure and reason of a rule that applies.
pub(crate) fn reason(reason: &Reason) -> String {
    let Reason { fact, condition, reason, .. } = reason;
    let figure = format!("{}: {}", capital(fact.kind.title()), value(fact));
    let condition = if condition.is_empty() { String::new() } else { format!("{}. ", capital(condition)) };
    format!("{condition}{figure}. {}.", capital(reason))
}

/// The threshold of a rule and its source.
fn source(reason: &Reason) -> String {
    let Reason { fact, threshold, below, source, .. } = reason;
    let side = if *below { "below" } else { "above" };
    format!(
        "{} {side} {}: {source}.",
        capital(fact.kind.title()),
        in_unit(fact.kind, *threshold, fact.currency.as_deref())
    )
}

/// The value of a fact with its unit and signs.
fn value(fact: &Fact) -> String {
    let text = in_unit(fact.kind, fact.value, fact.currency.as_deref());
    let cell = match (fact.lower_bound, fact.upper_bound) {
        (true, _) => Cell::at_least(text),
        (_, true) => Cell::text(format!("≤ {text}")),
        _ => Cell::text(text),
    };
    cell.wrong(fact.wrong).plain()
}

/// A value in the unit of a kind; a price in its currency.
fn in_unit(kind: FactKind, value: f64, currency: Option<&str>) -> String {
    match kind {
        FactKind::PricePerTb => {
            format!("{:.2} {} {}", value, currency.unwrap_or_default(), unit_text(kind.unit()))
        }
        FactKind::ThrottledAfter => format!("{} s", format::at_second(value)),
        FactKind::FullWrites => format!("{} full drive writes", format::plain_number(value)),
        FactKind::RandomRead | FactKind::RandomWrite => format!("{} IOPS", format::iops(value)),
        FactKind::RandomReadLatency | FactKind::RandomReadTail => {
            format!("{} µs", format::latency_us(value))
        }
        FactKind::WriteCache
        | FactKind::Hottest
        | FactKind::HottestUnchecked
        | FactKind::DriveWritesPerDay
        | FactKind::Used => format!("{} {}", format::plain_number(value), unit_text(kind.unit())),
        FactKind::SequentialReadQd1
        | FactKind::SequentialRead
        | FactKind::SequentialWrite
        | FactKind::SustainedWrite => format!("{} {}", format::mb_s(value), unit_text(kind.unit())),
    }
}

/// The facts of a run, and the data sheet beside them.
struct Facts<'a> {
    all: &'a [Fact],
    did_not_happen: &'a [FactKind],
    sheet: Option<&'a DataSheet>,
}

impl Facts<'_> {
    fn get(&self, kind: FactKind) -> Option<&Fact> {
        self.all.iter().find(|fact| fact.kind == kind)
    }

    /// A fact as text.
    fn text(&self, kind: FactKind) -> Option<String> {
        self.get(kind).map(value)
    }

    /// A figure of the data sheet as text.
    fn printed(&self, figure: PrintedFigure) -> Option<String> {
        let number = self.sheet?.number(figure.name())? / figure.base_units();
        Some(match figure {
            PrintedFigure::RandomRead | PrintedFigure::RandomWrite => format!("{} IOPS", format::iops(number)),
            _ => format!("{} {}", format::mb_s(number), unit_text(figure.unit())),
        })
    }

    /// Sentences about speed, writes, heat and endurance. `answered`: the run has already answered the question of its
    /// methodology, which may be the one about writes.
    fn sentences(&self, answered: bool) -> Vec<String> {
        let writes = if answered { None } else { self.writes() };
        [self.sequential(), self.random(), writes, self.heat(), self.endurance()].into_iter().flatten().collect()
    }

    /// A sentence about two rates at best, each beside the data sheet's.
    fn at_best(&self, what: &str, parts: [(&str, FactKind, PrintedFigure); 2]) -> Option<String> {
        let part = |(verb, kind, printed): (&str, FactKind, PrintedFigure)| {
            let measured = self.text(kind)?;
            let sheet = self.printed(printed).map(|text| format!(" (data sheet {text})")).unwrap_or_default();
            Some(format!("{verb} {measured}{sheet}"))
        };
        let parts: Vec<String> = parts.into_iter().filter_map(part).collect();
        (!parts.is_empty()).then(|| format!("{what}: {}.", parts.join(", ")))
    }

    fn sequential(&self) -> Option<String> {
        self.at_best(
            "Peak sequential I/O",
            [
                ("reads", FactKind::SequentialRead, PrintedFigure::SequentialRead),
                ("writes", FactKind::SequentialWrite, PrintedFigure::SequentialWrite),
            ],
        )
    }

    fn random(&self) -> Option<String> {
        let rates = self.at_best(
            "Peak random I/O, up to 8 KiB",
            [
                ("reads", FactKind::RandomRead, PrintedFigure::RandomRead),
                ("writes", FactKind::RandomWrite, PrintedFigure::RandomWrite),
            ],
        );
        let mean = self.text(FactKind::RandomReadLatency).map(|mean| {
            let tail = self.text(FactKind::RandomReadTail);
            let tail = tail.map(|tail| format!(", 99.9th percentile {tail}")).unwrap_or_default();
            format!("Random read latency at queue depth 1: mean {mean}{tail}.")
        });
        let all: Vec<String> = [rates, mean].into_iter().flatten().collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    fn writes(&self) -> Option<String> {
        let sustained = self.text(FactKind::SustainedWrite)?;
        let step = |kind| self.get(kind).and_then(|fact| fact.step.as_ref());
        let one_fill = step(FactKind::WriteCache) == step(FactKind::SustainedWrite);
        Some(match self.text(FactKind::WriteCache) {
            Some(cache) if one_fill => format!("Write cache: {cache}; sustained writes after it: {sustained}."),
            Some(cache) => format!("Write cache: up to {cache}; slowest sustained writes: {sustained}."),
            None => format!("Sustained writes: {sustained} to the end of the fill, with no drop after a write cache."),
        })
    }

    fn heat(&self) -> Option<String> {
        let hottest = self.text(FactKind::Hottest)?;
        let throttled = match self.text(FactKind::ThrottledAfter) {
            Some(after) => format!(", thermal throttling after {after}"),
            None if self.did_not_happen.contains(&FactKind::ThrottledAfter) => ", no thermal throttling".to_owned(),
            None => String::new(),
        };
        Some(format!("Peak temperature {hottest}{throttled}."))
    }

    fn endurance(&self) -> Option<String> {
        let used = self.text(FactKind::Used).map(|used| format!("endurance used: {used}"));
        let rated = self.text(FactKind::FullWrites).map(|writes| format!("rated endurance: {writes}"));
        let parts: Vec<String> = [rated, used].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("{}.", capital(&parts.join("; "))))
    }
}

#[cfg(test)]
mod tests;
