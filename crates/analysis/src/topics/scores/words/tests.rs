//! The words of each finding.

use drivelab_core::metric::Better;
use drivelab_core::score::{ScoreRates, ScoreRule};

use super::*;
use crate::check::testing::in_words;

fn score(title: &str) -> Score {
    Score {
        name: title.to_lowercase(),
        title: title.to_owned(),
        unit: "points".to_owned(),
        rule: ScoreRule::Mean,
        better: Better::Higher,
        rates: ScoreRates::Decimal,
        parts: Vec::new(),
        over: None,
        sources: Vec::new(),
        approximation: String::new(),
    }
}

#[test]
fn each_finding_in_its_words() {
    let scores = ["Reads per watt", "Writes per watt", "Mixed per watt", "Copies per watt", "Idle power"].map(score);
    let scores: Vec<&Score> = scores.iter().collect();
    let figures = |ids: &[&'static str]| ids.iter().copied().collect::<BTreeSet<&str>>();
    let watts = figures(&["power.mean"]);
    insta::assert_snapshot!(in_words(&[
        not_measured(&scores[..1], &watts),
        not_measured(&scores[..4], &watts),
        not_measured(&scores, &figures(&["power.idle", "power.mean"])),
        not_measured(&scores[..2], &figures(&["heat.kept", "power.mean"])),
    ]));
}
