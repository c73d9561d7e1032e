//! The conditions around a run: those of the methodology, partly replaced by flags, in the order in which they are
//! measured.
//!
//! Owns which of the two applies, and which conditions are left out because they are not available. Must not know how
//! a condition is set up.

use drivelab_conditions::{ConditionsError, check};
use drivelab_core::condition::{Arm, Condition, MethodConditions, PowerStates, Series};
use drivelab_device::BlockNode;

use crate::failure::{Failure, Result};
use crate::order::conditions::AskedConditions;

/// The conditions for a target, from the methodology and flags combined.
#[derive(Debug, Clone)]
pub struct Around {
    asked: MethodConditions,
    /// Conditions of the methodology that flags replaced, as text.
    replaced: Vec<String>,
}

/// One run: its condition, and its place among the other runs.
#[derive(Debug, Clone)]
pub struct Turn {
    /// What is set up.
    pub condition: Condition,
    /// Its place.
    pub series: Series,
}

/// Replaces the methodology's own value by a flag's value, and notes the replacement.
fn replace<T: PartialEq + ToString>(name: &str, own: &mut Option<T>, flag: Option<T>, replaced: &mut Vec<String>) {
    let Some(flag) = flag else { return };
    if let Some(own) = own.as_ref().filter(|own| **own != flag) {
        replaced.push(format!("{name} {} instead of {}", flag.to_string(), own.to_string()));
    }
    *own = Some(flag);
}

fn listed(arms: &[Arm]) -> String {
    arms.iter().map(Arm::to_string).collect::<Vec<_>>().join(", ")
}

impl Around {
    /// Combines the methodology's conditions with the flags; `None` if neither asks for any.
    #[must_use]
    pub fn of(own: Option<MethodConditions>, flags: &AskedConditions) -> Option<Around> {
        if own.is_none() && !flags.any() {
            return None;
        }
        let (mut asked, mut replaced) = (own.unwrap_or_default(), Vec::new());
        replace("partition", &mut asked.partition, flags.partition, &mut replaced);
        replace("span", &mut asked.span, flags.span, &mut replaced);
        // A partition and a span replace each other.
        if flags.partition.is_some() && flags.span.is_none() && asked.span.take().is_some() {
            replaced.push("a partition instead of a span".to_owned());
        }
        if flags.span.is_some() && flags.partition.is_none() && asked.partition.take().is_some() {
            replaced.push("a span instead of a partition".to_owned());
        }
        let mut name = asked.file_system.map(drivelab_core::condition::FileSystem::name);
        replace("file system", &mut name, flags.file_system.map(|it| it.name()), &mut replaced);
        asked.file_system = flags.file_system.or(asked.file_system);
        replace("data state", &mut asked.data_state, flags.data_state, &mut replaced);
        replace("power states", &mut asked.power_states, flags.power_state.clone(), &mut replaced);
        replace("rounds of all arms", &mut asked.repeats, flags.repeats, &mut replaced);
        replace("order of arms", &mut asked.arm_order, flags.arm_order, &mut replaced);
        if flags.power_state.is_some() {
            // A user who names a state requires it.
            asked.optional_power_states = false;
        }
        if !flags.arm.is_empty() {
            if !asked.arms.is_empty() && asked.arms != flags.arm {
                replaced.push(format!("arms {} instead of {}", listed(&flags.arm), listed(&asked.arms)));
            }
            asked.arms.clone_from(&flags.arm);
            // A user who names an arm requires it.
            asked.optional_arms.clear();
        }
        Some(Around { asked, replaced })
    }

    /// The share of the device that is partitioned.
    #[must_use]
    pub fn partition(&self) -> Option<drivelab_core::condition::Share> {
        self.asked.partition
    }

    /// The runs on this device, in their order. Without a device: the runs on a loop device that does not exist yet,
    /// so nothing can be checked.
    ///
    /// # Errors
    /// A required condition is not available, or no arm is left to compare. Nothing was touched.
    pub fn turns(&self, node: Option<&BlockNode>, flags: &AskedConditions, loop_on_file: bool) -> Result<Vec<Turn>> {
        let admin_key = flags.opal_admin_key.as_deref();
        let mut left_out = Vec::new();
        let mut arms = if self.asked.arms.is_empty() { vec![Arm::None] } else { self.asked.arms.clone() };
        if admin_key.is_some() && !arms.contains(&Arm::Opal) {
            return Err(Failure::usage(
                "--opal-admin-key is for the arm opal, and none of the arms is: add --arm opal, or leave it out",
            ));
        }
        let states = self.states(node, &mut left_out)?;
        let several = arms.iter().any(|arm| *arm != Arm::None);
        let mut kept = Vec::new();
        for arm in arms.drain(..) {
            let fits = |condition: Condition| node.map_or(Ok(()), |node| check(node, &condition, admin_key));
            let checked = states.iter().try_for_each(|state| fits(self.condition(arm, *state)));
            match checked {
                Ok(()) => kept.push(arm),
                Err(error) if self.asked.may_leave_out(arm) => {
                    let said = format!("the arm {arm} was left out: {error}");
                    if !left_out.contains(&said) {
                        left_out.push(said);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        if several && kept.iter().all(|arm| *arm == Arm::None) {
            return Err(Failure::new(
                drivelab_core::exit::ExitCode::HostNotFit,
                format!(
                    "no arm is left to compare with the arm none, so nothing was measured: {}. `--arm none --arm none` \
                     measures how much two runs without a condition differ",
                    left_out.join("; ")
                ),
            ));
        }
        let conditions: Vec<Condition> =
            kept.iter().flat_map(|arm| states.iter().map(|state| self.condition(*arm, *state))).collect();
        let (order, repeats) = (self.asked.arm_order.unwrap_or_default(), self.asked.repeats.unwrap_or(1));
        let turns = order.turns(conditions.len(), repeats);
        let of = u32::try_from(turns.len()).unwrap_or(u32::MAX);
        let turn = |(at, (arm, round)): (u32, &(usize, u32))| {
            let series = Series {
                at,
                of,
                round: *round,
                rounds: repeats,
                order,
                replaced: self.replaced.clone(),
                left_out: left_out.clone(),
                loop_on_file,
            };
            Turn { condition: conditions[*arm], series }
        };
        Ok((1..).zip(&turns).map(turn).collect())
    }

    fn condition(&self, encryption: Arm, power_state: Option<u8>) -> Condition {
        let MethodConditions { partition, span, file_system, data_state, .. } = self.asked;
        Condition { partition, span, file_system, encryption, data_state: data_state.unwrap_or_default(), power_state }
    }

    /// The power states to measure in; a single `None` if they are left unchanged.
    fn states(&self, node: Option<&BlockNode>, left_out: &mut Vec<String>) -> Result<Vec<Option<u8>>> {
        let Some(asked) = &self.asked.power_states else { return Ok(vec![None]) };
        let tried = match (node, asked) {
            (None, _) => Err(ConditionsError::Target("a loop device has no power states that can be set".to_owned())),
            (Some(node), PowerStates::All) => drivelab_conditions::power_states(node),
            (Some(node), PowerStates::These(states)) => {
                let with = |state: &u8| Condition { power_state: Some(*state), ..Condition::default() };
                states.iter().try_for_each(|state| check(node, &with(state), None)).map(|()| states.clone())
            }
        };
        match tried {
            Ok(states) => Ok(states.into_iter().map(Some).collect()),
            Err(error) if self.asked.optional_power_states => {
                left_out.push(format!("the power states were left unchanged: {error}"));
                Ok(vec![None])
            }
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::condition::{ArmOrder, DataState, FileSystem};

    use super::*;

    fn flags() -> AskedConditions {
        AskedConditions {
            partition: None,
            span: None,
            file_system: None,
            arm: Vec::new(),
            opal_admin_key: None,
            data_state: None,
            power_state: None,
            repeats: None,
            arm_order: None,
        }
    }

    fn own() -> MethodConditions {
        MethodConditions {
            partition: "90%".parse().ok(),
            file_system: Some(FileSystem::Ext4),
            arms: vec![Arm::None, Arm::Opal],
            optional_arms: vec![Arm::Opal],
            data_state: Some(DataState::Fresh),
            repeats: Some(4),
            arm_order: Some(ArmOrder::Abba),
            ..MethodConditions::default()
        }
    }

    #[test]
    fn flags_replace_what_the_methodology_asks_for_and_that_is_noted() {
        assert!(Around::of(None, &flags()).is_none());
        let as_it_is = Around::of(Some(own()), &flags()).expect("conditions");
        assert_eq!((as_it_is.asked, as_it_is.replaced), (own(), Vec::new()));
        let flags = AskedConditions {
            span: "25%".parse().ok(),
            arm: vec![Arm::None, Arm::None],
            repeats: Some(2),
            data_state: Some(DataState::Fresh),
            ..flags()
        };
        let Around { asked, replaced } = Around::of(Some(own()), &flags).expect("conditions");
        assert_eq!((asked.partition, asked.repeats, asked.arm_order), (None, Some(2), Some(ArmOrder::Abba)));
        assert!(!asked.may_leave_out(Arm::Opal), "named arms are required");
        let wanted = [
            "a span instead of a partition",
            "rounds of all arms 2 instead of 4",
            "arms none, none instead of none, opal",
        ];
        assert_eq!(replaced, wanted, "the same data state replaces nothing");
    }
}
