//! The short answer of the sample, a physical drive, in every format.

use drivelab_analysis::{Analysis, analyse, suitability};
use drivelab_core::metric::Wrong;
use drivelab_core::run::RunRecords;
use drivelab_core::verdict_rules::{DriveUse, RuleVerdict, VerdictRule, VerdictRules};
use drivelab_samples as testing;

use super::*;

fn rules(limit: f64) -> VerdictRules {
    let rule = |fact: FactKind, above: f64, verdict: RuleVerdict| VerdictRule {
        fact,
        below: None,
        above: Some(above),
        verdict,
        uses: vec!["system".to_owned()],
        condition: if verdict == RuleVerdict::Conditional { "for <reading>".to_owned() } else { String::new() },
        currency: None,
        reason: "reads wait".to_owned(),
        source: "a <test>".to_owned(),
    };
    VerdictRules {
        uses: vec![DriveUse { id: "system".to_owned(), title: "System disk".to_owned(), needs: Vec::new() }],
        rules: vec![
            rule(FactKind::RandomRead, limit, RuleVerdict::Conditional),
            rule(FactKind::Used, 80.0, RuleVerdict::NotRecommended),
        ],
    }
}

/// The sample with the verdict of a rule whose limit this is.
fn judged(records: &RunRecords, limit: f64) -> Analysis {
    let mut analysis = analyse(records);
    analysis.suitability = Some(suitability::of_run(records, &analysis, Ok(&rules(limit))));
    analysis
}

fn short(records: &RunRecords, analysis: &Analysis) -> Short {
    of_run(&ReportInput { records, analysis })
}

#[test]
fn the_best_rates_are_told_and_a_use_without_a_rule_against_it_is_recommended() {
    let records = testing::sample_run();
    let analysis = judged(&records, 1e9);
    let answer = short(&records, &analysis);
    let random = answer.sentences.iter().find(|sentence| sentence.starts_with("Peak random I/O, up to 8 KiB: reads "));
    let best =
        analysis.suitability.as_ref().and_then(|all| all.facts.iter().find(|one| one.kind == FactKind::RandomRead));
    let best = best.expect("the sample reads at random");
    assert!(random.is_some_and(|text| text.contains(&format::iops(best.value))), "{:?}", answer.sentences);
    let highest = analysis.metrics.iter().filter(|metric| metric.id == "read.iops").filter_map(|metric| metric.value);
    assert_eq!(Some(best.value), highest.max_by(f64::total_cmp), "it is the highest of all");
    let [verdict] = answer.verdicts.as_slice() else { panic!("{:?}", answer.verdicts) };
    assert_eq!((verdict.words, verdict.class), ("recommended", "good"));
    assert_eq!(verdict.why, "Not known: endurance used.");
}

#[test]
fn every_format_has_the_sentences_and_the_verdict_with_its_reason_and_nothing_unescaped() {
    let records = testing::sample_run();
    let analysis = judged(&records, 1.0);
    let input = ReportInput { records: &records, analysis: &analysis };
    let page = crate::html(&[input]).expect("a page");
    let texts = [
        page.clone(),
        crate::markdown(&[input]).expect("a text"),
        crate::brief(&input),
        crate::terminal_table(&input, 400),
    ];
    for text in &texts {
        for part in ["Peak random I/O, up to 8 KiB", "conditionally recommended", "Reads wait"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    assert!(page.contains("For &#60;reading&#62;") && !page.contains("For <reading>"));
    let json = crate::json(&[input]).expect("a document");
    assert_eq!(json["suitability"]["uses"][0]["outcome"], "conditional");
    assert_eq!(json["suitability"]["uses"][0]["reasons"][0]["threshold"], 1.0);
}

#[test]
fn the_signs_of_a_figure_stand_in_its_sentence() {
    let records = testing::sample_run();
    let mut analysis = judged(&records, 1e9);
    let facts = &mut analysis.suitability.as_mut().expect("facts").facts;
    for fact in facts.iter_mut().filter(|fact| fact.kind == FactKind::RandomRead) {
        (fact.lower_bound, fact.wrong) = (true, Some(Wrong::TooLow));
    }
    let sentences = short(&records, &analysis).sentences.join(" ");
    assert!(sentences.contains("reads ≥ ") && sentences.contains(" IOPS ▲"), "{sentences}");
}

#[test]
fn what_is_no_drive_has_figures_and_no_verdict() {
    let mut records = testing::sample_run();
    records.environment.target.devices[0].virtual_because = Some("virtio".to_owned());
    let answer = short(&records, &judged(&records, 1.0));
    assert!(answer.verdicts.is_empty() && !answer.sentences.is_empty());
    assert!(answer.no_verdict.starts_with("No verdict: nvme0n1 is a virtual disk"), "{}", answer.no_verdict);
    // Rules that cannot be read are the reason, and the figures stay.
    let records = testing::sample_run();
    let mut analysis = analyse(&records);
    analysis.suitability = Some(suitability::of_run(&records, &analysis, Err("line 3: no")));
    let answer = short(&records, &analysis);
    assert_eq!(answer.no_verdict, "No verdict: line 3: no.");
    assert!(!answer.sentences.is_empty());
}

#[test]
fn what_is_not_known_of_any_use_is_said_once_below_the_verdicts() {
    let records = testing::sample_run();
    let two = |other: Vec<VerdictRule>| {
        let mut rules = rules(1e9);
        rules.uses.push(DriveUse { id: "server".to_owned(), title: "Server".to_owned(), needs: Vec::new() });
        rules.rules.iter_mut().for_each(|rule| rule.uses.push("server".to_owned()));
        rules.rules.extend(other);
        // A use that is not recommended names nothing unknown.
        rules.uses.push(DriveUse { id: "cache".to_owned(), title: "Cache".to_owned(), needs: Vec::new() });
        let no = RuleVerdict::NotRecommended;
        rules.rules.push(VerdictRule { uses: vec!["cache".to_owned()], verdict: no, ..rules.rules[0].clone() });
        rules.rules.last_mut().expect("a rule").above = Some(1.0);
        let mut analysis = analyse(&records);
        analysis.suitability = Some(suitability::of_run(&records, &analysis, Ok(&rules)));
        short(&records, &analysis)
    };
    let answer = two(Vec::new());
    let why = |answer: &Short| answer.verdicts[..2].iter().map(|one| one.why.clone()).collect::<Vec<_>>();
    assert_eq!((why(&answer), answer.verdicts[2].class), (vec![String::new(), String::new()], "bad"));
    assert_eq!(answer.below_verdicts(), "Not known: endurance used.");
    let hottest =
        VerdictRule { fact: FactKind::Hottest, uses: vec!["server".to_owned()], ..rules(1e9).rules[1].clone() };
    let answer = two(vec![hottest]);
    let own = ["", "Not known: highest temperature."];
    assert_eq!(why(&answer), own);
    assert_eq!(answer.below_verdicts(), "Not known: endurance used.");
}
