//! What an NVMe controller says of itself, in the units people use. Which bytes it comes from: crate `nvme`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// A controller: identify, the features in force, logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeProbe {
    /// Identify Controller.
    pub controller: NvmeController,
    /// The features that matter, as they are set now.
    pub features: NvmeFeatures,
    /// Power states, in order.
    pub power_states: Vec<PowerState>,
    /// Thermal limits.
    pub thermal: ThermalLimits,
    /// What it can erase, lock and encrypt.
    pub security: NvmeSecurity,
    /// Active namespaces.
    pub namespaces: Vec<NamespaceProbe>,
    /// SMART / Health log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<NvmeHealth>,
    /// Firmware slots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub firmware_slots: Vec<FirmwareSlot>,
    /// Newest entries of the error log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorEntry>,
    /// Newest results of the device self-test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_tests: Vec<SelfTest>,
    /// Endurance groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endurance_groups: Vec<EnduranceGroup>,
    /// Flexible data placement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fdp: Option<FdpProbe>,
    /// The OCP health log (0xC0).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ocp: Option<OcpHealth>,
    /// The power measurement log (0x25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power_measurement: Option<PowerMeasurement>,
}

/// Identify Controller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeController {
    /// The kernel's name: `nvme0`.
    pub name: String,
    /// Transport: `pcie`, `tcp`, `rdma`, `fc`.
    pub transport: String,
    /// Model, as the controller writes it.
    pub model: String,
    /// Serial number.
    pub serial: String,
    /// Firmware revision.
    pub firmware: String,
    /// Version of the specification: `1.4.0`.
    pub version: String,
    /// PCI vendor number.
    pub vendor_id: u16,
    /// Subsystem's qualified name.
    pub subsystem_nqn: String,
    /// Controller number within the subsystem.
    pub controller_id: u16,
    /// Largest transfer of one command; absent where it sets no limit.
    pub largest_transfer: Option<Bytes>,
    /// Namespaces it can have.
    pub namespaces_most: u32,
    /// Capacity of all flash it manages; absent where it does not say.
    pub total_capacity: Option<Bytes>,
    /// Capacity that no namespace has.
    pub unallocated: Option<Bytes>,
    /// Most entries of a submission queue (CAP.MQES + 1); absent where the register cannot be read.
    pub queue_entries_most: Option<u32>,
    /// Error log entries that it keeps.
    pub error_log_entries: u32,
    /// Asynchronous event requests that it keeps at once (AERL + 1); absent in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_requests: Option<u32>,
    /// Optional commands in words: `Write Zeroes`, `Dataset Management`.
    pub optional_commands: Vec<String>,
}

/// Features in force (Get Features, current values).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NvmeFeatures {
    /// I/O submission queues granted (07h).
    pub submission_queues: Option<u32>,
    /// I/O completion queues granted (07h).
    pub completion_queues: Option<u32>,
    /// Completions gathered before an interrupt (08h); absent where it is off or unknown.
    pub coalescing_entries: Option<u32>,
    /// Longest wait of a gathered completion, µs (08h).
    pub coalescing_time_us: Option<u32>,
    /// Whether interrupt coalescing could be read at all.
    pub coalescing_known: bool,
    /// Whether there is a volatile write cache (identify).
    pub write_cache_present: Option<bool>,
    /// Whether it is on (06h).
    pub write_cache_enabled: Option<bool>,
    /// Power state now (02h).
    pub power_state: Option<u8>,
    /// Autonomous power state transitions on (0Ch).
    pub autonomous_transitions: Option<bool>,
    /// Host memory buffer on (0Dh).
    pub host_memory_buffer: Option<bool>,
    /// Host memory buffer that the controller would like (identify, HMPRE).
    pub host_memory_wanted: Option<Bytes>,
}

/// A power state descriptor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PowerState {
    /// Number.
    pub number: u8,
    /// Whether it takes I/O.
    pub operational: bool,
    /// Most it may draw, watts; absent where not reported.
    pub most_w: Option<f64>,
    /// When idle, watts.
    pub idle_w: Option<f64>,
    /// When busy, watts.
    pub active_w: Option<f64>,
    /// Time to enter, µs.
    pub entry_us: u32,
    /// Time to leave, µs.
    pub exit_us: u32,
    /// Relative read throughput (0 is best), read latency, write throughput, write latency.
    pub relative: [u8; 4],
}

/// Thermal limits, degrees Celsius.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ThermalLimits {
    /// Warning composite temperature (WCTEMP).
    pub warning_c: Option<f64>,
    /// Critical composite temperature (CCTEMP).
    pub critical_c: Option<f64>,
    /// Whether the host may set the temperatures of thermal management (HCTMA).
    pub host_managed: bool,
    /// Lowest that may be set.
    pub host_lowest_c: Option<f64>,
    /// Highest that may be set.
    pub host_highest_c: Option<f64>,
    /// Light throttling from here on (10h, TMT1); absent where it is off.
    pub light_throttle_c: Option<f64>,
    /// Heavy throttling from here on (10h, TMT2).
    pub heavy_throttle_c: Option<f64>,
    /// Warning threshold of the composite temperature (04h, over).
    pub over_threshold_c: Option<f64>,
}

/// What it can erase, lock and encrypt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NvmeSecurity {
    /// Ways it can be sanitised, in words.
    pub sanitize: Vec<String>,
    /// What sanitize does now, in words; absent where it cannot.
    pub sanitize_status: Option<String>,
    /// Whether it takes Format NVM.
    pub format: bool,
    /// What a format does, in words: whole drive or one namespace, with cryptographic erase or not.
    pub format_notes: Vec<String>,
    /// Whether it takes Security Send and Receive.
    pub security_commands: bool,
    /// TCG subsystem classes in words: `Opal 2.0`.
    pub tcg: Vec<String>,
    /// Locking feature: supported.
    pub locking_supported: Option<bool>,
    /// Locking feature: set up (enabled).
    pub locking_enabled: Option<bool>,
    /// Some range is locked now.
    pub locked: Option<bool>,
    /// Whether IEEE 1667 is offered; absent where it could not be asked.
    pub ieee_1667: Option<bool>,
}

/// An LBA format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LbaFormat {
    /// Number.
    pub number: u8,
    /// Data of a block.
    pub data: Bytes,
    /// Metadata of a block, bytes.
    pub metadata: u16,
    /// In words: `best`, `better`, `good`, `degraded`.
    pub relative_performance: String,
    /// Whether the namespace has it now.
    pub in_use: bool,
}

/// A namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamespaceProbe {
    /// Number.
    pub id: u32,
    /// Size that can be addressed.
    pub size: Bytes,
    /// Size that may be allocated.
    pub capacity: Bytes,
    /// Allocated now, as the namespace says.
    pub used: Bytes,
    /// Formats it can have.
    pub formats: Vec<LbaFormat>,
    /// Metadata travels at the end of the data block.
    pub metadata_extended: bool,
    /// Protection type in force; 0 for none.
    pub protection_type: u8,
    /// Endurance group; 0 for none.
    pub endurance_group: u16,
    /// EUI-64 in hexadecimal, where set.
    pub eui64: Option<String>,
    /// NGUID in hexadecimal, where set.
    pub nguid: Option<String>,
    /// Granularity that it prefers for writes.
    pub preferred_write: Option<Bytes>,
    /// Shared by several controllers.
    pub shared: bool,
}

/// SMART / Health log 02h.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeHealth {
    /// Composite temperature.
    pub composite_c: Option<f64>,
    /// Sensors 1 to 8, those that exist.
    pub sensors_c: Vec<(u8, f64)>,
    /// Critical warning bits, as they are.
    pub critical_warning: u8,
    /// Spare left, per cent.
    pub spare_percent: u8,
    /// Below this it warns.
    pub spare_threshold_percent: u8,
    /// Endurance used, per cent; may pass 100.
    pub used_percent: u8,
    /// Read by the host.
    pub read: Bytes,
    /// Written by the host.
    pub written: Bytes,
    /// Read commands.
    pub read_commands: u64,
    /// Write commands.
    pub write_commands: u64,
    /// Minutes busy with I/O.
    pub busy_minutes: u64,
    /// Power cycles.
    pub power_cycles: u64,
    /// Hours with power on.
    pub power_on_hours: u64,
    /// Power lost without notice.
    pub unsafe_shutdowns: u64,
    /// Media and data integrity errors.
    pub media_errors: u64,
    /// Entries of the error log over the life of the controller.
    pub error_entries: u64,
    /// Minutes at or above the warning temperature.
    pub warning_minutes: u32,
    /// Minutes at or above the critical temperature.
    pub critical_minutes: u32,
    /// Times that light throttling began.
    pub light_throttle_count: u32,
    /// Times that heavy throttling began.
    pub heavy_throttle_count: u32,
    /// Seconds of light throttling.
    pub light_throttle_s: u32,
    /// Seconds of heavy throttling.
    pub heavy_throttle_s: u32,
}

/// A firmware slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirmwareSlot {
    /// Number, from 1.
    pub slot: u8,
    /// Revision.
    pub revision: String,
    /// Whether it runs.
    pub active: bool,
}

/// An entry of the error log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorEntry {
    /// Running number of the error.
    pub count: u64,
    /// Status in words.
    pub status: String,
    /// First block, where it belongs to one.
    pub lba: u64,
    /// Namespace.
    pub namespace: u32,
}

/// A result of the device self-test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTest {
    /// `short` or `extended`.
    pub kind: String,
    /// In words.
    pub result: String,
    /// Whether a part of the drive did not pass; a test that was stopped says nothing.
    #[serde(default)]
    pub failed: bool,
    /// Power-on hours when it ended.
    pub at_hours: u64,
}

/// Endurance group log 09h.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnduranceGroup {
    /// Number.
    pub id: u16,
    /// Endurance used, per cent.
    pub used_percent: u8,
    /// Written by the host.
    pub written: Bytes,
    /// Written to the media, the controller's own writes included; 0 where not reported.
    pub media_written: Bytes,
}

/// Flexible data placement of one endurance group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FdpProbe {
    /// Endurance group.
    pub endurance_group: u16,
    /// Whether it is on (1Dh); absent where the feature could not be read.
    pub enabled: Option<bool>,
    /// Configuration in force.
    pub active: Option<u8>,
    /// Configurations it offers.
    pub configurations: Vec<FdpConfiguration>,
    /// Host bytes with metadata written (HBMW).
    pub host_written: Option<u64>,
    /// Media bytes with metadata written (MBMW).
    pub media_written: Option<u64>,
    /// Media bytes erased (MBE).
    pub media_erased: Option<u64>,
    /// How each reclaim unit handle of the group is used, in words, by its number (log page 21h).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handle_use: Vec<String>,
    /// Where the placement identifiers of the target's own namespace lead (I/O Management Receive).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<PlacementHandle>,
}

/// A placement identifier of a namespace and the reclaim unit handle behind it (NVM Express Base Specification 2.1,
/// section 7.3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacementHandle {
    /// Namespace.
    pub namespace: u32,
    /// Placement identifier (PID).
    pub identifier: u16,
    /// Reclaim unit handle (RUHID).
    pub handle: u16,
    /// Blocks of the namespace that still fit into its open reclaim unit (RUAMW).
    pub available_blocks: u64,
    /// Seconds for which that unit may stay open (EARUTR); absent where the drive does not report it.
    pub time_left_s: Option<u32>,
}

/// An FDP configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FdpConfiguration {
    /// Number.
    pub number: u8,
    /// Whether it can be used.
    pub valid: bool,
    /// Reclaim groups.
    pub reclaim_groups: u32,
    /// Reclaim unit handles.
    pub handles: u16,
    /// Nominal size of a reclaim unit.
    pub reclaim_unit: Bytes,
    /// Handle types in words, one each.
    pub handle_types: Vec<String>,
}

/// OCP SMART / Health extended log C0h.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OcpHealth {
    /// Written to the media.
    pub media_written: Bytes,
    /// Read from the media.
    pub media_read: Bytes,
    /// Bad user blocks.
    pub bad_user_blocks: u64,
    /// Times that throttling began.
    pub throttle_events: u8,
    /// Throttled now, in words; `none` where it is not.
    pub throttle_status: String,
    /// PCIe correctable errors.
    pub pcie_correctable: u64,
    /// Shutdowns that were not finished.
    pub incomplete_shutdowns: u32,
    /// Health of the capacitor, per cent of its margin.
    pub capacitor_percent: Option<u16>,
}

/// Power measurement log 25h.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PowerMeasurement {
    /// Mean over the interval, watts.
    pub average_w: Option<f64>,
    /// Most, watts.
    pub most_w: Option<f64>,
    /// Possible error, per cent.
    pub error_percent: u8,
}
