//! The conditions of a run, as far as the user named them.

use std::path::PathBuf;

use drivelab_core::condition::{Arm, ArmOrder, DataState, FileSystem, PowerStates, Share};

/// What is set up before a run and undone after it; the methodology decides whatever is left open here.
#[derive(Debug, Clone, Default)]
pub struct AskedConditions {
    /// Share of the drive that one partition gets.
    pub partition: Option<Share>,
    /// Share of the device that is tested, from its start.
    pub span: Option<Share>,
    /// File system to create.
    pub file_system: Option<FileSystem>,
    /// The run is measured once under each of these arms, in this order.
    pub arm: Vec<Arm>,
    /// File with the key of the drive's administrator, for the arm `opal`.
    pub opal_admin_key: Option<PathBuf>,
    /// Data state of the target before the tests.
    pub data_state: Option<DataState>,
    /// NVMe power states to measure in.
    pub power_state: Option<PowerStates>,
    /// Number of rounds over all arms.
    pub repeats: Option<u32>,
    /// Order of the arms over several rounds.
    pub arm_order: Option<ArmOrder>,
}

impl AskedConditions {
    /// Whether any condition is asked for.
    #[must_use]
    pub fn any(&self) -> bool {
        let AskedConditions {
            partition,
            span,
            file_system,
            arm,
            opal_admin_key,
            data_state,
            power_state,
            repeats,
            arm_order,
        } = self;
        partition.is_some()
            || span.is_some()
            || file_system.is_some()
            || !arm.is_empty()
            || opal_admin_key.is_some()
            || data_state.is_some_and(|state| state != DataState::AsFound)
            || power_state.is_some()
            || repeats.is_some()
            || arm_order.is_some()
    }
}
