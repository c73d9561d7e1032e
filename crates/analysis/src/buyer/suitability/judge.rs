//! From facts and rules to a verdict for each use.

use drivelab_core::verdict_rules::{FactKind, RuleVerdict, VerdictRule, VerdictRules};

use super::fact::{Fact, Facts};
use super::types::{Outcome, Reason, Suitability, UseVerdict};

/// The verdict of these rules over these facts. `none_because` says why these facts must not be judged.
#[must_use]
pub fn judge(rules: &VerdictRules, facts: Facts, none_because: Option<String>) -> Suitability {
    let uses = match none_because {
        Some(_) => Vec::new(),
        None => rules.uses.iter().map(|one| of_use(rules, &facts, (&one.id, &one.title, &one.needs))).collect(),
    };
    let Facts { known, did_not_happen } = facts;
    Suitability { none_because, facts: known, did_not_happen, uses }
}

fn of_use(rules: &VerdictRules, facts: &Facts, (id, title, needs): (&str, &str, &[FactKind])) -> UseVerdict {
    let own = || rules.rules.iter().filter(|rule| rule.uses.iter().any(|one| one == id));
    // A price in a currency that no rule of the use names is not known.
    let readable = |fact: &Fact| {
        let about = || own().filter(|rule| rule.fact == fact.kind);
        about().count() == 0 || about().any(|rule| rule.currency == fact.currency)
    };
    let fact = |kind: FactKind| facts.known.iter().find(|fact| fact.kind == kind && readable(fact));
    let is_open = |kind: FactKind| fact(kind).is_none() && !facts.did_not_happen.contains(&kind);
    let (mut reasons, mut undecided, mut unknown) = (Vec::<Reason>::new(), Vec::new(), Vec::new());
    for rule in own() {
        match fact(rule.fact) {
            None if is_open(rule.fact) => note(&mut unknown, rule.fact),
            Some(fact) if rule.currency != fact.currency => {}
            Some(fact) if !is_decisive(rule, fact) => note(&mut undecided, fact.kind),
            Some(fact) if rule.applies(fact.value) => reasons.push(reason(rule, fact)),
            _ => {}
        }
    }
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.verdict));
    // A condition adds nothing to a rejection for the same fact.
    let rejects = |reason: &&Reason| reason.verdict == RuleVerdict::NotRecommended;
    let rejected: Vec<FactKind> = reasons.iter().filter(rejects).map(|reason| reason.fact.kind).collect();
    reasons.retain(|reason| rejects(&reason) || !rejected.contains(&reason.fact.kind));
    let missing: Vec<FactKind> = needs.iter().copied().filter(|kind| is_open(*kind)).collect();
    unknown.retain(|kind| !missing.contains(kind));
    let outcome = match reasons.first().map(|reason| reason.verdict) {
        Some(RuleVerdict::NotRecommended) => Outcome::NotRecommended,
        _ if !(missing.is_empty() && undecided.is_empty()) => Outcome::Unknown,
        Some(RuleVerdict::Conditional) => Outcome::Conditional,
        None => Outcome::Recommended,
    };
    UseVerdict { id: id.to_owned(), title: title.to_owned(), outcome, reasons, missing, undecided, unknown }
}

fn note(kinds: &mut Vec<FactKind>, kind: FactKind) {
    if !kinds.contains(&kind) {
        kinds.push(kind);
    }
}

/// Whether a fact decides if a rule applies: not if the drive may be on the other side of the threshold.
fn is_decisive(rule: &VerdictRule, fact: &Fact) -> bool {
    // Below a threshold a rule with `below` applies; above it, one with `above`.
    let is_below = rule.applies(fact.value) == rule.below.is_some();
    !if is_below { fact.may_be_higher() } else { fact.may_be_lower() }
}

fn reason(rule: &VerdictRule, fact: &Fact) -> Reason {
    Reason {
        fact: fact.clone(),
        threshold: rule.threshold(),
        below: rule.below.is_some(),
        verdict: rule.verdict,
        condition: rule.condition.clone(),
        reason: rule.reason.clone(),
        source: rule.source.clone(),
    }
}

#[cfg(test)]
mod tests;
