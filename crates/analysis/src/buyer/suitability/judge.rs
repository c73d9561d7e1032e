//! From facts and rules to a verdict for each use.

use drivelab_core::metric::Wrong;
use drivelab_core::verdict_rules::{FactKind, RuleVerdict, VerdictRule, VerdictRules};

use super::fact::Fact;
use super::types::{Outcome, Reason, Suitability, UseVerdict};

/// The verdict of these rules over these facts. `none_because` says why these facts must not be judged.
#[must_use]
pub fn judge(rules: &VerdictRules, facts: Vec<Fact>, none_because: Option<String>) -> Suitability {
    let uses = match none_because {
        Some(_) => Vec::new(),
        None => rules.uses.iter().map(|one| of_use(rules, &facts, (&one.id, &one.title, &one.needs))).collect(),
    };
    Suitability { none_because, facts, uses }
}

fn of_use(rules: &VerdictRules, facts: &[Fact], (id, title, needs): (&str, &str, &[FactKind])) -> UseVerdict {
    let fact = |kind: FactKind| facts.iter().find(|fact| fact.kind == kind);
    let own = || rules.rules.iter().filter(|rule| rule.uses.iter().any(|one| one == id));
    let (mut reasons, mut undecided, mut unknown) = (Vec::<Reason>::new(), Vec::new(), Vec::new());
    for rule in own() {
        match fact(rule.fact) {
            None => note(&mut unknown, rule.fact),
            Some(fact) if rule.applies(fact.value) && is_decisive(rule, fact) => reasons.push(reason(rule, fact)),
            Some(fact) if rule.applies(fact.value) => note(&mut undecided, fact.kind),
            Some(_) => {}
        }
    }
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.verdict));
    // The milder rule of a fact adds nothing to the more severe one.
    let mut said = Vec::new();
    reasons.retain(|reason| {
        let first = !said.contains(&reason.fact.kind);
        said.push(reason.fact.kind);
        first
    });
    let missing: Vec<FactKind> = needs.iter().copied().filter(|kind| fact(*kind).is_none()).collect();
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

/// Whether a fact can decide that a rule applies: not if the drive may be better than the figure.
fn is_decisive(rule: &VerdictRule, fact: &Fact) -> bool {
    let better = if rule.below.is_some() { Wrong::TooLow } else { Wrong::TooHigh };
    let disturbed = fact.wrong.is_some_and(|wrong| wrong == better || wrong == Wrong::EitherWay);
    !(disturbed || fact.lower_bound && rule.below.is_some())
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
