//! Runs under several arms as one series: the order of the arms, the place of a run in the series, and the conditions
//! that a methodology asks for.
//!
//! Owns the order (docs/guide/conditions.md). Must not know how a condition is set up, or what the runs of a series
//! mean.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Arm, ConditionError, DataState, FileSystem, Share};

/// Maximum number of rounds of all arms.
pub const MOST_REPEATS: u32 = 100;

/// Order in which the arms are measured over several rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArmOrder {
    /// All rounds of the first arm, then all rounds of the next.
    AsWritten,
    /// All arms once in the order written, then all of them again.
    #[default]
    RoundByRound,
    /// Round by round, with every second round reversed (none, luks2, luks2, none): a steady drift then affects all
    /// arms equally.
    Abba,
}

impl ArmOrder {
    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ArmOrder::AsWritten => "as_written",
            ArmOrder::RoundByRound => "round_by_round",
            ArmOrder::Abba => "abba",
        }
    }

    /// The runs in order: the arm (its index in the list, from 0) and the round (from 1) of each.
    #[must_use]
    pub fn turns(self, arms: usize, repeats: u32) -> Vec<(usize, u32)> {
        let rounds = 1..=repeats.max(1);
        match self {
            ArmOrder::AsWritten => (0..arms).flat_map(|arm| rounds.clone().map(move |round| (arm, round))).collect(),
            ArmOrder::RoundByRound => rounds.flat_map(|round| (0..arms).map(move |arm| (arm, round))).collect(),
            ArmOrder::Abba => {
                let place = |round: u32, at: usize| if round.is_multiple_of(2) { arms - 1 - at } else { at };
                rounds.flat_map(|round| (0..arms).map(move |at| (place(round, at), round))).collect()
            }
        }
    }
}

impl fmt::Display for ArmOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ArmOrder {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let all = [ArmOrder::AsWritten, ArmOrder::RoundByRound, ArmOrder::Abba];
        // Hyphens are usual on a command line.
        let word = text.replace('-', "_");
        let found = all.into_iter().find(|order| order.name() == word);
        found.ok_or_else(|| ConditionError::unknown(text, "as_written, round_by_round or abba"))
    }
}

/// Power states in which a drive is measured, one run each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PowerStates {
    /// Every operational state of the controller.
    All,
    /// These states, in this order.
    These(Vec<u8>),
}

impl FromStr for PowerStates {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        if text.trim() == "all" {
            return Ok(PowerStates::All);
        }
        let state = |word: &str| word.trim().parse().ok().filter(|state| *state < 32);
        let states = text.split(',').map(state).collect::<Option<Vec<u8>>>();
        let wrong = || ConditionError::unknown(text, "a number from 0 to 31, several separated by commas, or all");
        states.map(PowerStates::These).ok_or_else(wrong)
    }
}

impl fmt::Display for PowerStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PowerStates::All => f.write_str("all"),
            PowerStates::These(states) => {
                let words: Vec<String> = states.iter().map(u8::to_string).collect();
                f.write_str(&words.join(","))
            }
        }
    }
}

/// The conditions that a methodology asks for. The flags of `drivelab run` replace them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MethodConditions {
    /// A partition of this size.
    pub partition: Option<Share>,
    /// Only this part of the device, without a partition.
    pub span: Option<Share>,
    /// A file system that holds the tested file.
    pub file_system: Option<FileSystem>,
    /// The arms, in the order written; empty if none is named.
    pub arms: Vec<Arm>,
    /// Arms that are skipped if they are not available, whatever their options.
    pub optional_arms: Vec<Arm>,
    /// What the target holds before the tests.
    pub data_state: Option<DataState>,
    /// Power states of the controller.
    pub power_states: Option<PowerStates>,
    /// Power states of the controller to measure in.
    pub optional_power_states: bool,
    /// Number of rounds of all arms.
    pub repeats: Option<u32>,
    /// Order of the arms.
    pub arm_order: Option<ArmOrder>,
}

impl MethodConditions {
    /// Whether this arm may be skipped if it is not available.
    #[must_use]
    pub fn may_leave_out(&self, arm: Arm) -> bool {
        self.optional_arms.iter().any(|one| std::mem::discriminant(one) == std::mem::discriminant(&arm))
    }
}

/// The place of a run in its series: the runs that one command made under several arms or on a device that it set up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Series {
    /// Number of this run in the series, from 1.
    pub at: u32,
    /// Number of runs planned.
    pub of: u32,
    /// Its round, from 1. Runs of the same round are compared with each other.
    pub round: u32,
    /// Number of rounds planned.
    pub rounds: u32,
    /// The order of the arms.
    pub order: ArmOrder,
    /// What flags replaced in the methodology's conditions, one phrase each: `partition 50 % instead of 90 %`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
    /// What was not available and was skipped, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Whether the device is a loop device on a file made for the run, instead of a drive.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub loop_on_file: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arms(order: ArmOrder, arms: usize, repeats: u32) -> Vec<usize> {
        order.turns(arms, repeats).into_iter().map(|(arm, _)| arm).collect()
    }

    #[test]
    fn every_arm_has_every_round_once_and_abba_turns_every_second_round_round() {
        assert_eq!(arms(ArmOrder::RoundByRound, 3, 2), [0, 1, 2, 0, 1, 2]);
        assert_eq!(arms(ArmOrder::AsWritten, 3, 2), [0, 0, 1, 1, 2, 2]);
        assert_eq!(arms(ArmOrder::Abba, 2, 2), [0, 1, 1, 0], "the order that it is named after");
        assert_eq!(arms(ArmOrder::Abba, 2, 3), [0, 1, 1, 0, 0, 1]);
        assert_eq!(arms(ArmOrder::Abba, 4, 1), [0, 1, 2, 3]);
        for order in [ArmOrder::RoundByRound, ArmOrder::AsWritten, ArmOrder::Abba] {
            let mut turns = order.turns(3, 4);
            turns.sort_unstable();
            let wanted: Vec<(usize, u32)> = (0..3).flat_map(|arm| (1..=4).map(move |round| (arm, round))).collect();
            assert_eq!(turns, wanted, "{order}");
            assert_eq!(order.to_string().parse(), Ok(order));
        }
        // Under a steady drift of one per turn, both arms have the same mean place in two rounds of abba.
        let places = |arm: usize| -> usize {
            let turns = ArmOrder::Abba.turns(2, 2);
            (0..turns.len()).filter(|at| turns[*at].0 == arm).sum()
        };
        assert_eq!(places(0), places(1));
    }

    #[test]
    fn power_states_are_all_or_a_list() {
        assert_eq!("all".parse(), Ok(PowerStates::All));
        assert_eq!("0, 2,4".parse(), Ok(PowerStates::These(vec![0, 2, 4])));
        assert_eq!(PowerStates::These(vec![0, 2]).to_string(), "0,2");
        for wrong in ["", "32", "a", "1,"] {
            wrong.parse::<PowerStates>().expect_err(wrong);
        }
    }

    #[test]
    fn an_optional_arm_is_so_with_any_options() {
        let asked =
            MethodConditions { optional_arms: vec![Arm::Luks2(super::super::Luks2::default())], ..Default::default() };
        assert!(asked.may_leave_out("luks2:inline".parse().expect("an arm")));
        assert!(!asked.may_leave_out(Arm::Opal) && !asked.may_leave_out(Arm::None));
    }
}
