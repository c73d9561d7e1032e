//! Verdicts of a few rules over facts made by hand.

use drivelab_core::metric::Wrong;
use drivelab_core::verdict_rules::DriveUse;

use super::*;

fn rule(fact: FactKind, below: Option<f64>, above: Option<f64>, verdict: RuleVerdict) -> VerdictRule {
    let condition = if verdict == RuleVerdict::Conditional { "if cooled" } else { "" };
    VerdictRule {
        fact,
        below,
        above,
        verdict,
        uses: vec!["system".to_owned()],
        condition: condition.to_owned(),
        currency: None,
        reason: "R".to_owned(),
        source: "S".to_owned(),
    }
}

fn rules() -> VerdictRules {
    let rules = VerdictRules {
        uses: vec![DriveUse {
            id: "system".to_owned(),
            title: "System disk".to_owned(),
            needs: vec![FactKind::SequentialReadQd1],
        }],
        rules: vec![
            rule(FactKind::SequentialReadQd1, Some(300.0), None, RuleVerdict::NotRecommended),
            rule(FactKind::Hottest, None, Some(90.0), RuleVerdict::Conditional),
            rule(FactKind::FullWrites, Some(1800.0), None, RuleVerdict::Conditional),
            rule(FactKind::FullWrites, Some(350.0), None, RuleVerdict::NotRecommended),
        ],
    };
    assert_eq!(rules.check(), Ok(()));
    rules
}

fn system(facts: Vec<Fact>) -> UseVerdict {
    judge(&rules(), Facts { known: facts, did_not_happen: Vec::new() }, None).uses.remove(0)
}

fn reads(value: f64) -> Fact {
    Fact::stated(FactKind::SequentialReadQd1, value, "a step")
}

#[test]
fn a_drive_is_recommended_if_all_it_needs_is_known_and_no_rule_applies() {
    let good = system(vec![reads(300.0), Fact::stated(FactKind::FullWrites, 1800.0, "sheet")]);
    assert_eq!(good.outcome, Outcome::Recommended);
    assert_eq!((good.missing.as_slice(), good.unknown.as_slice()), (&[][..], &[FactKind::Hottest][..]));
    let nothing = system(vec![Fact::stated(FactKind::Hottest, 40.0, "a step")]);
    assert_eq!(nothing.outcome, Outcome::Unknown, "what it needs is not known");
    assert_eq!(nothing.missing, [FactKind::SequentialReadQd1]);
    assert_eq!(nothing.unknown, [FactKind::FullWrites]);
}

#[test]
fn the_most_severe_rule_decides_and_a_fact_is_named_once() {
    let hot = system(vec![reads(500.0), Fact::stated(FactKind::Hottest, 90.1, "a step")]);
    assert_eq!(hot.outcome, Outcome::Conditional);
    assert_eq!(hot.reasons[0].condition, "if cooled");
    let both = system(vec![
        reads(500.0),
        Fact::stated(FactKind::Hottest, 95.0, "a step"),
        Fact::stated(FactKind::FullWrites, 312.5, "sheet"),
    ]);
    assert_eq!(both.outcome, Outcome::NotRecommended);
    let named: Vec<FactKind> = both.reasons.iter().map(|reason| reason.fact.kind).collect();
    assert_eq!(named, [FactKind::FullWrites, FactKind::Hottest]);
    assert_eq!((both.reasons[0].threshold, both.reasons[0].below), (350.0, true));
}

#[test]
fn a_severe_rule_decides_although_something_is_missing() {
    let worn = system(vec![Fact::stated(FactKind::FullWrites, 100.0, "sheet")]);
    assert_eq!(worn.outcome, Outcome::NotRecommended);
    let warm = system(vec![Fact::stated(FactKind::Hottest, 95.0, "a step")]);
    assert_eq!(warm.outcome, Outcome::Unknown, "a condition alone recommends nothing");
}

#[test]
fn a_figure_that_others_made_worse_decides_nothing_against_the_drive() {
    let bound = system(vec![Fact { lower_bound: true, ..reads(200.0) }]);
    assert_eq!((bound.outcome, bound.undecided.as_slice()), (Outcome::Unknown, &[FactKind::SequentialReadQd1][..]));
    for wrong in [Wrong::TooLow, Wrong::EitherWay] {
        assert_eq!(system(vec![Fact { wrong: Some(wrong), ..reads(200.0) }]).outcome, Outcome::Unknown);
    }
    // It would be even slower alone.
    assert_eq!(system(vec![Fact { wrong: Some(Wrong::TooHigh), ..reads(200.0) }]).outcome, Outcome::NotRecommended);
    // Good enough, but perhaps only because of the others.
    for wrong in [Wrong::TooHigh, Wrong::EitherWay] {
        let lucky = system(vec![Fact { wrong: Some(wrong), ..reads(400.0) }]);
        assert_eq!((lucky.outcome, lucky.undecided.as_slice()), (Outcome::Unknown, &[FactKind::SequentialReadQd1][..]));
    }
    // Good enough in spite of the others.
    assert_eq!(system(vec![Fact { wrong: Some(Wrong::TooLow), ..reads(400.0) }]).outcome, Outcome::Recommended);
    let heat = Fact { wrong: Some(Wrong::TooHigh), ..Fact::stated(FactKind::Hottest, 95.0, "a step") };
    assert_eq!(system(vec![reads(400.0), heat]).undecided, [FactKind::Hottest]);
}

#[test]
fn what_must_not_be_judged_has_facts_and_no_verdict() {
    let facts = Facts { known: vec![reads(100.0)], did_not_happen: Vec::new() };
    let none = judge(&rules(), facts, Some("a virtual disk".to_owned()));
    assert!(none.uses.is_empty() && none.facts.len() == 1);
}

#[test]
fn a_bound_decides_only_on_its_own_side_of_the_threshold() {
    let outcome = |fact: Fact| system(vec![reads(500.0), fact]).outcome;
    let heat = |value: f64| Fact::stated(FactKind::Hottest, value, "a source");
    assert_eq!(outcome(Fact { lower_bound: true, ..heat(95.0) }), Outcome::Conditional, "at least 95 is above 90");
    assert_eq!(outcome(Fact { lower_bound: true, ..heat(85.0) }), Outcome::Unknown, "it may be above 90");
    assert_eq!(outcome(Fact { upper_bound: true, ..heat(95.0) }), Outcome::Unknown, "it may be below 90");
    assert_eq!(outcome(Fact { upper_bound: true, ..heat(85.0) }), Outcome::Recommended, "at most 85 is below 90");
    assert_eq!(system(vec![Fact { upper_bound: true, ..reads(400.0) }]).outcome, Outcome::Unknown);
}

#[test]
fn what_was_looked_for_and_did_not_happen_is_not_unknown() {
    let facts = Facts { known: vec![reads(500.0)], did_not_happen: vec![FactKind::Hottest] };
    let verdict = judge(&rules(), facts, None).uses.remove(0);
    assert_eq!((verdict.outcome, verdict.unknown.as_slice()), (Outcome::Recommended, &[FactKind::FullWrites][..]));
}

#[test]
fn two_conditions_on_one_fact_are_both_said_unless_it_rejects_the_drive() {
    let conditions = |reads_at: f64| {
        let mut rules = rules();
        rules.rules.push(rule(FactKind::Hottest, None, Some(70.0), RuleVerdict::Conditional));
        rules.rules.push(rule(FactKind::Hottest, None, Some(100.0), RuleVerdict::NotRecommended));
        let known = vec![reads(500.0), Fact::stated(FactKind::Hottest, reads_at, "a step")];
        judge(&rules, Facts { known, did_not_happen: Vec::new() }, None).uses.remove(0).reasons
    };
    assert_eq!(conditions(95.0).iter().map(|reason| reason.threshold).collect::<Vec<_>>(), [90.0, 70.0]);
    assert_eq!(conditions(101.0).iter().map(|reason| reason.threshold).collect::<Vec<_>>(), [100.0]);
}

#[test]
fn a_price_is_compared_only_in_its_own_currency() {
    let mut rules = rules();
    let dear = rule(FactKind::PricePerTb, None, Some(60.0), RuleVerdict::Conditional);
    rules.rules.push(VerdictRule { currency: Some("EUR".to_owned()), ..dear });
    assert_eq!(rules.check(), Ok(()));
    let of = |currency: &str| {
        let price = Fact::stated(FactKind::PricePerTb, 9000.0, "sheet");
        let known = vec![reads(500.0), Fact { currency: Some(currency.to_owned()), ..price }];
        judge(&rules, Facts { known, did_not_happen: Vec::new() }, None).uses.remove(0)
    };
    assert_eq!(of("EUR").outcome, Outcome::Conditional);
    let other = of("JPY");
    assert!(other.outcome == Outcome::Recommended && other.unknown.contains(&FactKind::PricePerTb), "{other:?}");
    // A rule for another currency makes a known price no less known, and a needed price must be in one of them.
    let in_dollars = rule(FactKind::PricePerTb, None, Some(70.0), RuleVerdict::Conditional);
    rules.rules.push(VerdictRule { currency: Some("USD".to_owned()), ..in_dollars });
    rules.uses[0].needs.push(FactKind::PricePerTb);
    let of = |currency: &str| {
        let price = Fact { currency: Some(currency.to_owned()), ..Fact::stated(FactKind::PricePerTb, 9000.0, "sheet") };
        judge(&rules, Facts { known: vec![reads(500.0), price], did_not_happen: Vec::new() }, None).uses.remove(0)
    };
    let euro = of("EUR");
    assert!(euro.reasons.len() == 1 && !euro.unknown.contains(&FactKind::PricePerTb), "{euro:?}");
    let yen = of("JPY");
    assert_eq!((yen.outcome, yen.missing.as_slice()), (Outcome::Unknown, &[FactKind::PricePerTb][..]));
}
