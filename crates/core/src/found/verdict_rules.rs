//! Rules that turn facts about a drive into a recommendation, by what the drive is for.
//!
//! Owns the facts that a rule can test, with their units, and the form of a file of rules. Must not know: where files
//! are, how a fact is measured, and how a verdict is worded.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact about a drive that a rule can test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// Sequential reads of 64 KiB to 1 MiB, one at a time, MB/s; of several block sizes the smallest.
    SequentialReadQd1,
    /// The highest rate of sequential reads, MB/s.
    SequentialRead,
    /// The highest rate of sequential writes, MB/s.
    SequentialWrite,
    /// Random reads of at most 8 KiB, one at a time: mean latency, µs.
    RandomReadLatency,
    /// The same: 99.9th percentile of the latency, µs.
    RandomReadTail,
    /// The highest rate of random reads of at most 8 KiB, IOPS.
    RandomRead,
    /// The highest rate of random writes of at most 8 KiB, IOPS.
    RandomWrite,
    /// Bytes that went into the write cache before the rate fell, GB.
    WriteCache,
    /// Rate of a fill after the end of its write cache, or of the whole fill if no end was seen, MB/s.
    SustainedWrite,
    /// The highest temperature of the drive, °C.
    Hottest,
    /// The same, of a drive that neither slowed down nor reported a temperature limit, °C.
    HottestUnchecked,
    /// Time under load until heat lowered the rate for the first time, s.
    ThrottledAfter,
    /// How many times all of the drive may be written by its rated endurance.
    FullWrites,
    /// Rated drive writes per day.
    DriveWritesPerDay,
    /// What the drive itself reports as used of its endurance, %.
    Used,
    /// Price for each TB, in the currency of the price.
    PricePerTb,
}

impl FactKind {
    /// All kinds, in display order.
    pub const ALL: [FactKind; 16] = [
        FactKind::SequentialRead,
        FactKind::SequentialWrite,
        FactKind::SequentialReadQd1,
        FactKind::RandomRead,
        FactKind::RandomWrite,
        FactKind::RandomReadLatency,
        FactKind::RandomReadTail,
        FactKind::WriteCache,
        FactKind::SustainedWrite,
        FactKind::Hottest,
        FactKind::HottestUnchecked,
        FactKind::ThrottledAfter,
        FactKind::FullWrites,
        FactKind::DriveWritesPerDay,
        FactKind::Used,
        FactKind::PricePerTb,
    ];

    /// Its name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            FactKind::SequentialReadQd1 => "sequential reads at queue depth 1",
            FactKind::SequentialRead => "sequential reads",
            FactKind::SequentialWrite => "sequential writes",
            FactKind::RandomReadLatency => "random read latency at queue depth 1",
            FactKind::RandomReadTail => "99.9th percentile of random read latency at queue depth 1",
            FactKind::RandomRead => "random reads",
            FactKind::RandomWrite => "random writes",
            FactKind::WriteCache => "write cache",
            FactKind::SustainedWrite => "sustained writes",
            FactKind::Hottest => "highest temperature",
            FactKind::HottestUnchecked => "highest temperature without throttling or a warning",
            FactKind::ThrottledAfter => "time under load to thermal throttling",
            FactKind::FullWrites => "rated endurance",
            FactKind::DriveWritesPerDay => "rated drive writes per day",
            FactKind::Used => "endurance used",
            FactKind::PricePerTb => "price per TB",
        }
    }

    /// Its unit as in the table of metrics; `full writes` and `per TB` are no units of metrics.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            FactKind::SequentialReadQd1
            | FactKind::SequentialRead
            | FactKind::SequentialWrite
            | FactKind::SustainedWrite => "MB/s",
            FactKind::RandomReadLatency | FactKind::RandomReadTail => "us",
            FactKind::RandomRead | FactKind::RandomWrite => "IOPS",
            FactKind::WriteCache => "GB",
            FactKind::Hottest | FactKind::HottestUnchecked => "°C",
            FactKind::ThrottledAfter => "s",
            FactKind::FullWrites => "full writes",
            FactKind::DriveWritesPerDay => "DWPD",
            FactKind::Used => "%",
            FactKind::PricePerTb => "per TB",
        }
    }
}

/// A file of rules.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictRules {
    /// What a drive can be for.
    pub uses: Vec<DriveUse>,
    /// The rules. Those of one use are independent of each other; the most severe one decides.
    pub rules: Vec<VerdictRule>,
}

/// What a drive can be for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveUse {
    /// Short name, to which rules refer.
    pub id: String,
    /// Name for people.
    pub title: String,
    /// Facts without which the drive is not recommended for it, however good the others are.
    pub needs: Vec<FactKind>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictRule {
    /// The fact that it tests.
    pub fact: FactKind,
    /// It applies if the fact is below this value. A rule has either this or `above`.
    #[serde(default)]
    pub below: Option<f64>,
    /// It applies if the fact is above this value.
    #[serde(default)]
    pub above: Option<f64>,
    /// What it says then.
    pub verdict: RuleVerdict,
    /// The uses for which it says so.
    pub uses: Vec<String>,
    /// On what a conditional recommendation depends: `with a heat sink`. Empty for other verdicts.
    #[serde(default)]
    pub condition: String,
    /// Currency of a price, ISO 4217; a price in another one is not known. Absent for other facts.
    #[serde(default)]
    pub currency: Option<String>,
    /// Why, for a reader of the verdict.
    pub reason: String,
    /// Where the threshold comes from.
    pub source: String,
}

impl VerdictRule {
    /// The threshold.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.below.or(self.above).unwrap_or(f64::NAN)
    }

    /// Whether it applies to this value.
    #[must_use]
    pub fn applies(&self, value: f64) -> bool {
        self.below.is_some_and(|below| value < below) || self.above.is_some_and(|above| value > above)
    }
}

/// What a rule says if it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleVerdict {
    /// Recommended under a condition.
    Conditional,
    /// Not recommended.
    NotRecommended,
}

impl VerdictRules {
    /// Checks what the format alone does not.
    ///
    /// # Errors
    /// The first mistake, in words.
    pub fn check(&self) -> Result<(), String> {
        let mut known = BTreeSet::new();
        for one in &self.uses {
            if !known.insert(one.id.as_str()) {
                return Err(format!("duplicate use '{}'", one.id));
            }
        }
        for (at, rule) in self.rules.iter().enumerate() {
            let place = format!("rule {} ({})", at + 1, rule.fact.title());
            if rule.below.is_some() == rule.above.is_some() || !rule.threshold().is_finite() {
                return Err(format!("{place}: it needs one threshold: a finite `below` or `above`"));
            }
            if let Some(unknown) = rule.uses.iter().find(|name| !known.contains(name.as_str())) {
                return Err(format!("{place}: no use is called '{unknown}'"));
            }
            if rule.uses.is_empty() || rule.reason.trim().is_empty() || rule.source.trim().is_empty() {
                return Err(format!("{place}: `uses`, `reason` and `source` must not be empty"));
            }
            if (rule.fact == FactKind::PricePerTb) != rule.currency.is_some() {
                return Err(format!("{place}: a price needs a `currency`, such as \"EUR\"; other facts take none"));
            }
            let needs_one = rule.verdict == RuleVerdict::Conditional;
            if needs_one == rule.condition.trim().is_empty() {
                let says = "a conditional verdict needs a `condition`; other verdicts take none";
                return Err(format!("{place}: {says}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> VerdictRules {
        let system = DriveUse { id: "system".to_owned(), title: "System disk".to_owned(), needs: Vec::new() };
        let rule = VerdictRule {
            fact: FactKind::SequentialReadQd1,
            below: Some(300.0),
            above: None,
            verdict: RuleVerdict::NotRecommended,
            uses: vec!["system".to_owned()],
            condition: String::new(),
            currency: None,
            reason: "R".to_owned(),
            source: "S".to_owned(),
        };
        VerdictRules { uses: vec![system], rules: vec![rule] }
    }

    #[test]
    fn a_mistake_in_rules_is_named_with_its_place() {
        assert_eq!(rules().check(), Ok(()));
        let wrong = |change: fn(&mut VerdictRules)| {
            let mut rules = rules();
            change(&mut rules);
            rules.check().expect_err("a mistake")
        };
        assert!(wrong(|all| all.uses.push(all.uses[0].clone())).contains("duplicate use 'system'"));
        assert!(wrong(|all| all.rules[0].below = None).contains("rule 1 (sequential reads at queue depth 1)"));
        assert!(wrong(|all| all.rules[0].above = Some(1.0)).contains("one threshold"));
        assert!(wrong(|all| all.rules[0].below = Some(f64::NAN)).contains("one threshold"));
        assert!(wrong(|all| all.rules[0].uses = vec!["cache".to_owned()]).contains("no use is called 'cache'"));
        assert!(wrong(|all| all.rules[0].reason = " ".to_owned()).contains("must not be empty"));
        assert!(wrong(|all| all.rules[0].verdict = RuleVerdict::Conditional).contains("`condition`"));
        assert!(wrong(|all| all.rules[0].fact = FactKind::PricePerTb).contains("`currency`"));
        assert!(wrong(|all| all.rules[0].currency = Some("EUR".to_owned())).contains("`currency`"));
    }

    #[test]
    fn a_rule_applies_beyond_its_threshold_and_not_at_it() {
        let mut rule = rules().rules.remove(0);
        assert!(rule.applies(299.9) && !rule.applies(300.0) && !rule.applies(f64::NAN));
        (rule.below, rule.above) = (None, Some(300.0));
        assert!(rule.applies(300.1) && !rule.applies(300.0) && !rule.applies(f64::NAN));
    }
}
