//! A question of a buyer and its answer.

use drivelab_core::finding::Evidence;
use drivelab_core::metric::Wrong;
use schemars::JsonSchema;
use serde::Serialize;

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
    /// Which firmware does it run?
    Firmware,
    /// Is data that was stored for long still read fast?
    OldData,
    /// How much has it been used?
    Use,
}

impl Question {
    /// The name for people.
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
    /// It is not known.
    Unknown,
    /// The buyer should know something before paying.
    Beware,
    /// Something speaks against the drive.
    Bad,
}

impl Standing {
    /// The word for it.
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
    /// Measured here, or reported by the drive in a field that every drive of its kind keeps in the same way.
    Sure,
    /// It follows from what is known, but there are exceptions.
    Likely,
    /// Only a hint.
    Hint,
}

impl Sureness {
    /// The words for it.
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
    /// The reasons for `standing`, a phrase each; empty for a good answer.
    pub problems: Vec<String>,
    /// What the answer rests on, a phrase or a sentence each.
    pub evidence: Vec<String>,
    /// Figures that were compared with a limit.
    pub figures: Vec<Evidence>,
    /// How sure the answer is.
    pub sureness: Sureness,
    /// Why it is no surer.
    pub because: String,
    /// What to do; empty if there is nothing to do.
    pub next_action: String,
}

impl Answer {
    /// How sure the answer is, and why no surer; `None` if the answer is unknown.
    #[must_use]
    pub fn sure(&self) -> Option<String> {
        let known = self.standing != Standing::Unknown;
        known.then(|| format!("How sure: {}; {}.", self.sureness.word(), self.because))
    }
}

/// The verdict over all answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verdict {
    /// How it turned out.
    pub standing: Standing,
    /// The verdict in one line.
    pub text: String,
}

/// Verdict and answers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Checked {
    /// The verdict over all answers.
    pub verdict: Verdict,
    /// The answers, in a fixed order.
    pub answers: Vec<Answer>,
}

impl Checked {
    /// Removes these words from every sentence, such as serial numbers from a page to be published.
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

/// Collects one answer.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) bad: Vec<String>,
    pub(super) beware: Vec<String>,
    evidence: Vec<String>,
    figures: Vec<Evidence>,
}

impl Notes {
    pub(super) fn bad(&mut self, words: impl Into<String>) {
        self.bad.push(words.into());
    }

    pub(super) fn beware(&mut self, words: impl Into<String>) {
        self.beware.push(words.into());
    }

    pub(super) fn saw(&mut self, words: impl Into<String>) {
        self.evidence.push(words.into());
    }

    pub(super) fn figure(&mut self, what: &str, value: f64, limit: Option<f64>, unit: &str) {
        self.figures.push(Evidence { what: what.to_owned(), value, limit, unit: unit.to_owned() });
    }

    /// The most severe of what was noted.
    pub(super) fn standing(&self) -> Standing {
        match (self.bad.is_empty(), self.beware.is_empty()) {
            (false, _) => Standing::Bad,
            (true, false) => Standing::Beware,
            (true, true) => Standing::Good,
        }
    }

    /// The answer: `good` if nothing was noted, otherwise what was noted.
    pub(super) fn answer(
        self,
        question: Question,
        good: &str,
        (sureness, because): (Sureness, &str),
        action: &str,
    ) -> Answer {
        let standing = self.standing();
        let problems: Vec<String> = self.bad.into_iter().chain(self.beware).collect();
        let text = if problems.is_empty() { good.to_owned() } else { sentence(&problems.join("; ")) };
        let next_action = if problems.is_empty() { String::new() } else { action.to_owned() };
        let (evidence, figures, because) = (self.evidence, self.figures, because.to_owned());
        Answer { question, standing, text, problems, evidence, figures, sureness, because, next_action }
    }

    /// The answer if it is not known.
    pub(super) fn unknown(self, question: Question, why: &str, how: &str) -> Answer {
        Answer {
            question,
            standing: Standing::Unknown,
            text: format!("Cannot tell: {why}."),
            problems: vec![why.to_owned()],
            evidence: self.evidence,
            figures: self.figures,
            sureness: Sureness::Sure,
            because: "it is certain that this is not known".to_owned(),
            next_action: how.to_owned(),
        }
    }
}

/// The mark after figures of a step that other programs disturbed, with its words; empty if none did.
pub(super) fn beside(wrong: Option<Wrong>) -> String {
    let Some(wrong) = wrong else { return String::new() };
    let words = match wrong {
        Wrong::TooLow => "other programs used the disk: higher without them",
        Wrong::TooHigh => "other programs used the disk: lower without them",
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
