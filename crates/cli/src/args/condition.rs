//! Flags of `drivelab run` for what a run is measured under.

use clap::Args;
use drivelab_core::condition::{Arm, DataState, FileSystem, Share};

/// Power states to measure in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerStates {
    /// This one.
    One(u8),
    /// Each that the controller has.
    All,
}

impl std::str::FromStr for PowerStates {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = || text.parse().ok().filter(|state| *state < 32).map(PowerStates::One);
        if text == "all" { Some(PowerStates::All) } else { number() }
            .ok_or_else(|| "a power state is a number from 0 to 31, or all".to_owned())
    }
}

/// What is set up before a run and undone after it, on a block device that --destroy names.
#[derive(Debug, Args)]
pub struct ConditionArgs {
    /// Make a partition table with one partition of this share or size; the rest of the drive stays unused.
    #[arg(long, value_name = "SHARE", help_heading = "Conditions")]
    pub partition: Option<Share>,
    /// Test only this much of the device, from its start, without a partition for it.
    #[arg(long, value_name = "SHARE", help_heading = "Conditions")]
    pub span: Option<Share>,
    /// Make a file system (ext4, xfs) and test a file in it.
    #[arg(long, value_name = "KIND", help_heading = "Conditions")]
    pub file_system: Option<FileSystem>,
    /// Measure once under each of these, in this order: none, luks2[:sector=N,inline,same-cpu], opal.
    #[arg(long, value_name = "ARM", help_heading = "Conditions")]
    pub arm: Vec<Arm>,
    /// What the target holds before the tests: as-found, fresh, filled:N%, overwritten-random, discarded.
    #[arg(long, value_name = "STATE", default_value = "as-found", help_heading = "Conditions")]
    pub data_state: DataState,
    /// Measure in this power state of an NVMe drive, or in each (all); the state before is restored.
    #[arg(long, value_name = "N", help_heading = "Conditions")]
    pub power_state: Option<PowerStates>,
}

impl ConditionArgs {
    /// Whether anything is asked for.
    #[must_use]
    pub fn any(&self) -> bool {
        let ConditionArgs { partition, span, file_system, arm, data_state, power_state } = self;
        partition.is_some()
            || span.is_some()
            || file_system.is_some()
            || !arm.is_empty()
            || *data_state != DataState::AsFound
            || power_state.is_some()
    }
}
