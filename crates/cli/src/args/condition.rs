//! Flags of `drivelab run` for the conditions of a run.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use drivelab_core::condition::{Arm, ArmOrder, DataState, FileSystem, MOST_REPEATS, PowerStates, Share};
use drivelab_lab::AskedConditions;

/// What is set up before a run and undone after it, on a block device that --destroy names.
#[derive(Debug, Args)]
pub struct ConditionArgs {
    /// Create one partition of this size (90%, 100GiB) and leave the rest of the drive unused.
    #[arg(long, value_name = "SHARE", help_heading = "Conditions")]
    pub partition: Option<Share>,
    /// Test only this part of the device (25%, 100GiB), from its start, without a partition.
    #[arg(long, value_name = "SHARE", help_heading = "Conditions")]
    pub span: Option<Share>,
    /// Create a file system (ext4, xfs) and test a file in it.
    #[arg(long, value_name = "KIND", help_heading = "Conditions")]
    pub file_system: Option<FileSystem>,
    /// Measure with this encryption; repeat the flag to compare several: none, luks2[:sector=N,inline,same-cpu], opal.
    ///
    /// none: no encryption. luks2 (or sw): LUKS2 on dm-crypt, with options after a colon, separated by commas:
    /// sector=512, 1024, 2048 or 4096 (bytes per sector; without it cryptsetup chooses), no-read-workqueue and
    /// no-write-workqueue (encrypt without worker threads), inline (both), same-cpu (stay on the CPU that submitted).
    /// opal (or hw): encryption by the drive; needs --opal-admin-key, and was not yet tried on hardware.
    #[arg(long, value_name = "ARM", help_heading = "Conditions")]
    pub arm: Vec<Arm>,
    /// File with the drive's administrator key, for --arm opal. The drive keeps this key after the run.
    ///
    /// One line, readable only by its owner. A drive without an owner gets this key; only the PSID on its label can
    /// reset that. drivelab stores the file's name until everything is undone, and never the key.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Conditions")]
    pub opal_admin_key: Option<PathBuf>,
    /// State of the target before the tests: as-found, fresh, filled:N%, overwritten-random, discarded.
    ///
    /// The default is what the methodology states, mostly as-found.
    #[arg(long, value_name = "STATE", help_heading = "Conditions")]
    pub data_state: Option<DataState>,
    /// Measure an NVMe drive in this power state, in several (0,2), or in all of them (all). The original state is
    /// restored.
    #[arg(long, value_name = "N", help_heading = "Conditions")]
    pub power_state: Option<PowerStates>,
    /// How often all arms are measured [default: as the methodology states, usually 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_REPEATS)),
          help_heading = "Conditions")]
    pub repeats: Option<u32>,
    /// Order of the arms over several rounds: as-written (all rounds of an arm, then the next), round-by-round, or abba
    /// (every second round in reverse).
    #[arg(long, value_name = "ORDER", help_heading = "Conditions")]
    pub arm_order: Option<ArmOrder>,
}

impl ConditionArgs {
    /// The conditions that these flags ask for.
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
