//! The buyer's answer: what a look at a drive and a minute of reading say, question by question, and one line above.
//!
//! Owns the questions, their thresholds and their words. Pure: everything comes from the probe of the drive, the facts
//! known of its model, and the records of a run that only read. What the figures mean: docs/guide/check.md.

mod firmware;
mod genuine;
mod healthy;
mod life;
mod link;
mod makers;
mod old_data;

use drivelab_core::content::ContentSample;
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::event::RunState;
use drivelab_core::finding::Evidence;
use drivelab_core::metric::Wrong;
use drivelab_core::probe::{NotKnown, TargetProbe};
use drivelab_core::record::StepRecord;
use drivelab_core::run::RunRecords;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Analysis;

pub use old_data::{Place, SmallReads};

/// What a buyer asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Is it healthy?
    Healthy,
    /// Is it what it says it is?
    Genuine,
    /// Does its link run as it should?
    Link,
    /// Which firmware has it?
    Firmware,
    /// Is data that lay there for long still read fast?
    OldData,
    /// How much was it used?
    Use,
}

impl Question {
    /// For people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Question::Healthy => "Healthy",
            Question::Genuine => "Genuine",
            Question::Link => "Link",
            Question::Firmware => "Firmware",
            Question::OldData => "Old data",
            Question::Use => "Use so far",
        }
    }
}

/// How an answer turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nothing speaks against the drive.
    Good,
    /// It cannot be told.
    Unknown,
    /// Something should be known before money changes hands.
    Beware,
    /// It speaks against the drive.
    Bad,
}

impl Standing {
    /// In a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Standing::Good => "good",
            Standing::Unknown => "unknown",
            Standing::Beware => "beware",
            Standing::Bad => "bad",
        }
    }
}

/// How sure an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sureness {
    /// Measured here, or the drive's own word in a field that every drive of its kind keeps the same way.
    Sure,
    /// It follows from what is known, with exceptions.
    Likely,
    /// A hint and no more.
    Hint,
}

impl Sureness {
    /// In a word or two.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Sureness::Sure => "sure",
            Sureness::Likely => "likely",
            Sureness::Hint => "a hint",
        }
    }
}

/// One question answered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// How it turned out.
    pub standing: Standing,
    /// The answer, in a sentence or two.
    pub text: String,
    /// What makes `standing` what it is, a phrase each; empty for a good answer.
    pub problems: Vec<String>,
    /// What the answer rests on, a phrase or sentence each.
    pub evidence: Vec<String>,
    /// Figures that were held against a limit.
    pub figures: Vec<Evidence>,
    /// How sure it is.
    pub sureness: Sureness,
    /// Why it is no surer.
    pub because: String,
    /// What to do; empty where there is nothing to do.
    pub next_action: String,
}

impl Answer {
    /// How sure it is and why no surer; nothing where the answer is that it is not known.
    #[must_use]
    pub fn sure(&self) -> Option<String> {
        let known = self.standing != Standing::Unknown;
        known.then(|| format!("How sure: {}; {}.", self.sureness.word(), self.because))
    }
}

/// The line above the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verdict {
    /// How it turned out.
    pub standing: Standing,
    /// The line.
    pub text: String,
}

/// Verdict and answers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Checked {
    /// The line above.
    pub verdict: Verdict,
    /// The answers, in a fixed order.
    pub answers: Vec<Answer>,
}

/// What the answers are made of.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The drive, where there is one below the target.
    pub probe: Option<&'a TargetProbe>,
    /// What is known of its model.
    pub facts: Option<&'a DriveFacts>,
    /// What was read of it; absent where it may not be read.
    pub read: Option<&'a Read<'a>>,
    /// Why nothing was read; absent where something was.
    pub not_read: Option<&'a NotKnown>,
}

/// What a run that only read found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Read<'a> {
    /// Places that were read in order, by their addresses.
    pub places: Vec<Place>,
    /// Small reads all over the target.
    pub small: Vec<SmallReads>,
    /// Operations that ended in errors.
    pub errors: u64,
    /// Samples of what the places hold; absent where nobody looked.
    pub content: Option<&'a ContentSample>,
}

impl<'a> Read<'a> {
    /// What a run of the methodology `check` found.
    #[must_use]
    pub fn of_run(records: &'a RunRecords, analysis: &Analysis) -> Read<'a> {
        Read {
            places: old_data::places(records, analysis),
            small: old_data::small_reads(records, analysis),
            errors: records.steps.iter().map(StepRecord::error_count).sum(),
            content: records.environment.content.as_deref(),
        }
    }
}

impl<'a> Known<'a> {
    /// The drive itself.
    fn device(&self) -> Option<&'a BlockDeviceFacts> {
        self.probe.and_then(TargetProbe::device)
    }

    /// Samples of what the target holds.
    fn content(&self) -> Option<&'a ContentSample> {
        self.read.and_then(|read| read.content)
    }

    /// Why the drive is none of its own: a virtual disk, or a layer over another device.
    fn layer(&self) -> Option<String> {
        let Some(device) = self.device() else { return Some("no drive was found below the target".to_owned()) };
        if let Some(why) = &device.virtual_because {
            return Some(format!("{} is no drive but {why}", device.name));
        }
        let below = device.lies_on.join(", ");
        (!below.is_empty()).then(|| format!("{} is no drive: it lies on {below}", device.name))
    }
}

/// The name of the methodology whose runs are read for a buyer.
const METHOD: &str = "check";

/// Whether a run was read for a buyer.
#[must_use]
pub fn is_check(records: &RunRecords) -> bool {
    records.plan.methodology.name == METHOD
}

/// The answers that a run of the methodology `check` gives, from its records alone; nothing of another run, and of one
/// that was not brought to its end.
#[must_use]
pub fn of_run(records: &RunRecords, analysis: &Analysis) -> Option<Checked> {
    let over = matches!(records.state, RunState::Complete | RunState::Failed);
    let environment = &records.environment;
    (is_check(records) && over).then(|| {
        let read = Read::of_run(records, analysis);
        let (probe, facts) = (environment.probe.as_deref(), environment.drive_facts.as_deref());
        check(&Known { probe, facts, read: Some(&read), not_read: None })
    })
}

impl Checked {
    /// Takes these words out of every sentence, such as serial numbers out of a page that is published.
    #[must_use]
    pub fn without(mut self, words: &[String]) -> Checked {
        let clean = |text: &mut String| {
            for word in words.iter().filter(|word| !word.is_empty()) {
                *text = text.replace(word, "(left out)");
            }
        };
        clean(&mut self.verdict.text);
        for answer in &mut self.answers {
            let sentences = [&mut answer.text, &mut answer.because, &mut answer.next_action];
            sentences.into_iter().chain(&mut answer.problems).chain(&mut answer.evidence).for_each(clean);
        }
        self
    }
}

/// Answers every question.
#[must_use]
pub fn check(known: &Known<'_>) -> Checked {
    let answers = vec![
        healthy::answer(known),
        genuine::answer(known),
        link::answer(known),
        firmware::answer(known),
        old_data::answer(known),
        life::answer(known),
    ];
    Checked { verdict: verdict(&answers), answers }
}

/// Bad answers speak alone; without health nothing can be said; what else should be known stands behind it.
fn verdict(answers: &[Answer]) -> Verdict {
    let problems = |standing: Standing| -> String {
        let of = answers.iter().filter(|answer| answer.standing == standing);
        of.flat_map(|answer| answer.problems.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
    };
    let (bad, beware) = (problems(Standing::Bad), problems(Standing::Beware));
    if !bad.is_empty() {
        return Verdict { standing: Standing::Bad, text: format!("Do not buy: {bad}.") };
    }
    let health = answers.iter().find(|answer| answer.question == Question::Healthy);
    if let Some(unknown) = health.filter(|health| health.standing == Standing::Unknown) {
        let also = if beware.is_empty() { String::new() } else { format!(". What was seen: {beware}") };
        return Verdict {
            standing: Standing::Unknown,
            text: format!("Cannot tell: {}{also}.", unknown.problems.join("; ")),
        };
    }
    if beware.is_empty() {
        return Verdict { standing: Standing::Good, text: "Looks healthy.".to_owned() };
    }
    Verdict { standing: Standing::Beware, text: format!("Looks healthy, but: {beware}.") }
}

/// Collects one answer.
#[derive(Debug, Default)]
struct Notes {
    bad: Vec<String>,
    beware: Vec<String>,
    evidence: Vec<String>,
    figures: Vec<Evidence>,
}

impl Notes {
    fn bad(&mut self, words: impl Into<String>) {
        self.bad.push(words.into());
    }

    fn beware(&mut self, words: impl Into<String>) {
        self.beware.push(words.into());
    }

    fn saw(&mut self, words: impl Into<String>) {
        self.evidence.push(words.into());
    }

    fn figure(&mut self, what: &str, value: f64, limit: Option<f64>, unit: &str) {
        self.figures.push(Evidence { what: what.to_owned(), value, limit, unit: unit.to_owned() });
    }

    /// The gravest of what was noted.
    fn standing(&self) -> Standing {
        match (self.bad.is_empty(), self.beware.is_empty()) {
            (false, _) => Standing::Bad,
            (true, false) => Standing::Beware,
            (true, true) => Standing::Good,
        }
    }

    /// The answer: `good` where nothing was noted, else what was.
    fn answer(self, question: Question, good: &str, (sureness, because): (Sureness, &str), action: &str) -> Answer {
        let standing = self.standing();
        let problems: Vec<String> = self.bad.into_iter().chain(self.beware).collect();
        let text = if problems.is_empty() { good.to_owned() } else { sentence(&problems.join("; ")) };
        let next_action = if problems.is_empty() { String::new() } else { action.to_owned() };
        let (evidence, figures, because) = (self.evidence, self.figures, because.to_owned());
        Answer { question, standing, text, problems, evidence, figures, sureness, because, next_action }
    }

    /// The answer where it cannot be told.
    fn unknown(self, question: Question, why: &str, how: &str) -> Answer {
        Answer {
            question,
            standing: Standing::Unknown,
            text: format!("Cannot tell: {why}."),
            problems: vec![why.to_owned()],
            evidence: self.evidence,
            figures: self.figures,
            sureness: Sureness::Sure,
            because: "that it is not known is certain".to_owned(),
            next_action: how.to_owned(),
        }
    }
}

/// The mark behind figures of a step that other programs disturbed, in words; empty where none did.
fn beside(wrong: Option<Wrong>) -> String {
    let Some(wrong) = wrong else { return String::new() };
    let words = match wrong {
        Wrong::TooLow => "other programs used the disk: higher alone",
        Wrong::TooHigh => "other programs used the disk: lower alone",
        Wrong::EitherWay => "other programs may have used the disk",
    };
    format!(" ({} {words})", wrong.sign())
}

/// With a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests;
