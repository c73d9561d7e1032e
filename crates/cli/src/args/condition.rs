//! Flags of `drivelab run` for what a run is measured under.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use drivelab_core::condition::{Arm, ArmOrder, DataState, FileSystem, MOST_REPEATS, PowerStates, Share};
use drivelab_lab::AskedConditions;

/// What is set up before a run and undone after it, on a block device that --destroy names.
#[derive(Debug, Args)]
pub struct ConditionArgs {
    /// Make a partition table with one partition of this share (90%, 100GiB); the rest of the drive stays unused.
    #[arg(long, value_name = "SHARE", help_heading = "Conditions")]
    pub partition: Option<Share>,
    /// Test only this much of the device (25%, 100GiB), from its start, without a partition for it.
    #[arg(long, value_name = "SHARE", help_heading = "Conditions")]
    pub span: Option<Share>,
    /// Make a file system (ext4, xfs) and test a file in it.
    #[arg(long, value_name = "KIND", help_heading = "Conditions")]
    pub file_system: Option<FileSystem>,
    /// Measure once under each of these, in this order: none, luks2[:sector=N,inline,same-cpu], opal.
    ///
    /// Repeat the flag for each arm. none: no layer between. luks2 (or sw): LUKS2 on dm-crypt; after a colon, parted by
    /// commas: sector=512, 1024, 2048 or 4096 (bytes encrypted at a time; without it cryptsetup chooses),
    /// no-read-workqueue and no-write-workqueue (encrypt where the operation is, without worker threads), inline
    /// (both), same-cpu (stay on the CPU that submitted). opal (or hw): the drive encrypts by itself; needs
    /// --opal-admin-key, and was not yet tried on hardware.
    #[arg(long, value_name = "ARM", help_heading = "Conditions")]
    pub arm: Vec<Arm>,
    /// File with the key of the drive's administrator, for --arm opal: the drive keeps that key after the run.
    ///
    /// One line, readable by its owner alone. A drive without an owner is owned with it from then on; only the PSID on
    /// the drive's label takes that back. drivelab keeps the file's name until all is undone, and never the key.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Conditions")]
    pub opal_admin_key: Option<PathBuf>,
    /// What the target holds before the tests: as-found, fresh, filled:N%, overwritten-random, discarded.
    ///
    /// Default what the methodology asks for, mostly as-found.
    #[arg(long, value_name = "STATE", help_heading = "Conditions")]
    pub data_state: Option<DataState>,
    /// Measure in this power state of an NVMe drive, in several (0,2), or in each (all); the state before is restored.
    #[arg(long, value_name = "N", help_heading = "Conditions")]
    pub power_state: Option<PowerStates>,
    /// Measure all arms so many times over; default what the methodology asks for, mostly once.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_REPEATS)),
          help_heading = "Conditions")]
    pub repeats: Option<u32>,
    /// Order of the arms over several rounds: as-written (an arm in all its rounds, then the next), round-by-round, or
    /// abba (every second round backwards).
    #[arg(long, value_name = "ORDER", help_heading = "Conditions")]
    pub arm_order: Option<ArmOrder>,
}

impl ConditionArgs {
    /// What they ask for.
    #[must_use]
    pub fn asked(&self) -> AskedConditions {
        AskedConditions {
            partition: self.partition,
            span: self.span,
            file_system: self.file_system,
            arm: self.arm.clone(),
            opal_admin_key: self.opal_admin_key.clone(),
            data_state: self.data_state,
            power_state: self.power_state.clone(),
            repeats: self.repeats,
            arm_order: self.arm_order,
        }
    }
}
