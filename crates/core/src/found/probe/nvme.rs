//! What an NVMe controller reports about itself, in user units. For the source bytes see crate `nvme`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// A controller: identify data, current features, logs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeProbe {
    /// Identify Controller.
    pub controller: NvmeController,
    /// The relevant features, with their current values.
    pub features: NvmeFeatures,
    /// Power states, in order.
    pub power_states: Vec<PowerState>,
    /// Thermal limits.
    pub thermal: ThermalLimits,
    /// Support for erase, locking and encryption.
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
    /// Model, as the controller reports it.
    pub model: String,
    /// Serial number.
    pub serial: String,
    /// Firmware revision.
    pub firmware: String,
    /// Version of the specification: `1.4.0`.
    pub version: String,
    /// PCI vendor number.
    pub vendor_id: u16,
    /// NVMe qualified name of the subsystem.
    pub subsystem_nqn: String,
    /// Controller number within the subsystem.
    pub controller_id: u16,
    /// Largest transfer of one command; absent if there is no limit.
    pub largest_transfer: Option<Bytes>,
    /// Most namespaces that it supports.
    pub namespaces_most: u32,
    /// Capacity of all flash that it manages; absent if not reported.
    pub total_capacity: Option<Bytes>,
    /// Capacity that is not allocated to a namespace.
    pub unallocated: Option<Bytes>,
    /// Most entries of a submission queue (CAP.MQES + 1); absent if the register cannot be read.
    pub queue_entries_most: Option<u32>,
    /// Number of error log entries that it keeps.
    pub error_log_entries: u32,
    /// Most asynchronous event requests at the same time (AERL + 1); absent in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_requests: Option<u32>,
    /// Optional commands, as text: `Write Zeroes`, `Dataset Management`.
    pub optional_commands: Vec<String>,
}

/// Current features (Get Features, current values).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NvmeFeatures {
    /// I/O submission queues granted (07h).
    pub submission_queues: Option<u32>,
    /// I/O completion queues granted (07h).
    pub completion_queues: Option<u32>,
    /// Completions aggregated before an interrupt (08h); absent if it is off or unknown.
    pub coalescing_entries: Option<u32>,
    /// Longest delay of an aggregated completion, µs (08h).
    pub coalescing_time_us: Option<u32>,
    /// Whether interrupt coalescing could be read.
    pub coalescing_known: bool,
    /// Whether there is a volatile write cache (Identify).
    pub write_cache_present: Option<bool>,
    /// Whether the volatile write cache is on (06h).
    pub write_cache_enabled: Option<bool>,
    /// Current power state (02h).
    pub power_state: Option<u8>,
    /// Whether autonomous power state transitions are on (0Ch).
    pub autonomous_transitions: Option<bool>,
    /// Whether the host memory buffer is on (0Dh).
    pub host_memory_buffer: Option<bool>,
    /// Preferred size of the host memory buffer (Identify, HMPRE).
    pub host_memory_wanted: Option<Bytes>,
}

/// A power state descriptor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PowerState {
    /// Number.
    pub number: u8,
    /// Whether it is operational, so that it processes I/O.
    pub operational: bool,
    /// Maximum power, watts; absent if not reported.
    pub most_w: Option<f64>,
    /// Idle power, watts.
    pub idle_w: Option<f64>,
    /// Active power, watts.
    pub active_w: Option<f64>,
    /// Entry latency, µs.
    pub entry_us: u32,
    /// Exit latency, µs.
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
    /// Whether the host may set the thermal management temperatures (HCTMA).
    pub host_managed: bool,
    /// Lowest temperature that may be set.
    pub host_lowest_c: Option<f64>,
    /// Highest temperature that may be set.
    pub host_highest_c: Option<f64>,
    /// Light throttling starts at this temperature (10h, TMT1); absent if it is off.
    pub light_throttle_c: Option<f64>,
    /// Heavy throttling starts at this temperature (10h, TMT2).
    pub heavy_throttle_c: Option<f64>,
    /// Warning threshold of the composite temperature (04h, over).
    pub over_threshold_c: Option<f64>,
}

/// Support for erase, locking and encryption.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NvmeSecurity {
    /// Supported sanitize methods, as text.
    pub sanitize: Vec<String>,
    /// Current sanitize status, as text; absent if sanitize is not supported.
    pub sanitize_status: Option<String>,
    /// Whether it supports Format NVM.
    pub format: bool,
    /// Scope of a format, as text: whole drive or one namespace, with or without cryptographic erase.
    pub format_notes: Vec<String>,
    /// Whether it supports Security Send and Receive.
    pub security_commands: bool,
    /// TCG subsystem classes, as text: `Opal 2.0`.
    pub tcg: Vec<String>,
    /// Whether the locking feature is supported.
    pub locking_supported: Option<bool>,
    /// Whether the locking feature is set up (enabled).
    pub locking_enabled: Option<bool>,
    /// Whether any range is locked now.
    pub locked: Option<bool>,
    /// Whether IEEE 1667 is supported; absent if it could not be queried.
    pub ieee_1667: Option<bool>,
}

/// An LBA format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LbaFormat {
    /// Number.
    pub number: u8,
    /// Data bytes of a block.
    pub data: Bytes,
    /// Metadata bytes of a block.
    pub metadata: u16,
    /// Relative performance: `best`, `better`, `good`, `degraded`.
    pub relative_performance: String,
    /// Whether the namespace uses it now.
    pub in_use: bool,
}

/// A namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamespaceProbe {
    /// Number.
    pub id: u32,
    /// Addressable size.
    pub size: Bytes,
    /// Size that may be allocated.
    pub capacity: Bytes,
    /// Currently allocated, as the namespace reports it.
    pub used: Bytes,
    /// LBA formats that it supports.
    pub formats: Vec<LbaFormat>,
    /// Whether metadata is transferred at the end of the data block.
    pub metadata_extended: bool,
    /// Current protection type; 0 for none.
    pub protection_type: u8,
    /// Endurance group; 0 for none.
    pub endurance_group: u16,
    /// EUI-64 in hexadecimal, if set.
    pub eui64: Option<String>,
    /// NGUID in hexadecimal, if set.
    pub nguid: Option<String>,
    /// Preferred granularity of writes.
    pub preferred_write: Option<Bytes>,
    /// Whether several controllers share it.
    pub shared: bool,
}

/// SMART / Health log 02h.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeHealth {
    /// Composite temperature.
    pub composite_c: Option<f64>,
    /// Sensors 1 to 8, those that exist.
    pub sensors_c: Vec<(u8, f64)>,
    /// Critical warning bits, unmodified.
    pub critical_warning: u8,
    /// Available spare, per cent.
    pub spare_percent: u8,
    /// Below this spare the drive warns, per cent.
    pub spare_threshold_percent: u8,
    /// Endurance used, per cent; may exceed 100.
    pub used_percent: u8,
    /// Bytes read by the host.
    pub read: Bytes,
    /// Bytes written by the host.
    pub written: Bytes,
    /// Read commands.
    pub read_commands: u64,
    /// Write commands.
    pub write_commands: u64,
    /// Minutes busy with I/O.
    pub busy_minutes: u64,
    /// Power cycles.
    pub power_cycles: u64,
    /// Power-on hours.
    pub power_on_hours: u64,
    /// Unsafe shutdowns: power lost without notice.
    pub unsafe_shutdowns: u64,
    /// Media and data integrity errors.
    pub media_errors: u64,
    /// Error log entries over the life of the controller.
    pub error_entries: u64,
    /// Minutes at or above the warning temperature.
    pub warning_minutes: u32,
    /// Minutes at or above the critical temperature.
    pub critical_minutes: u32,
    /// Number of times that light throttling began.
    pub light_throttle_count: u32,
    /// Number of times that heavy throttling began.
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
    /// Whether it is the running firmware.
    pub active: bool,
}

/// An entry of the error log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorEntry {
    /// Sequence number of the error.
    pub count: u64,
    /// Status, as text.
    pub status: String,
    /// First block, if it concerns one.
    pub lba: u64,
    /// Namespace.
    pub namespace: u32,
}

/// A result of the device self-test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTest {
    /// `short` or `extended`.
    pub kind: String,
    /// Result, as text.
    pub result: String,
    /// Whether a segment failed; an aborted test has no verdict.
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
    /// Bytes written by the host.
    pub written: Bytes,
    /// Bytes written to the media, including the controller's own writes; 0 if not reported.
    pub media_written: Bytes,
}

/// Flexible data placement of one endurance group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FdpProbe {
    /// Endurance group.
    pub endurance_group: u16,
    /// Whether it is on (1Dh); absent if the feature could not be read.
    pub enabled: Option<bool>,
    /// Current configuration.
    pub active: Option<u8>,
    /// Configurations that it offers.
    pub configurations: Vec<FdpConfiguration>,
    /// Host bytes with metadata written (HBMW).
    pub host_written: Option<u64>,
    /// Media bytes with metadata written (MBMW).
    pub media_written: Option<u64>,
    /// Media bytes erased (MBE).
    pub media_erased: Option<u64>,
    /// Use of each reclaim unit handle of the group, as text, by its number (log page 21h).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handle_use: Vec<String>,
    /// The reclaim unit handle of each placement identifier of the target's namespace (I/O Management Receive).
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
    /// Blocks of the namespace that still fit into the current reclaim unit (RUAMW).
    pub available_blocks: u64,
    /// Seconds for which that unit may stay open (EARUTR); absent if the drive does not report it.
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
    /// Types of the handles, as text, one each.
    pub handle_types: Vec<String>,
}

/// OCP SMART / Health extended log C0h.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OcpHealth {
    /// Bytes written to the media.
    pub media_written: Bytes,
    /// Bytes read from the media.
    pub media_read: Bytes,
    /// Bad user blocks.
    pub bad_user_blocks: u64,
    /// Number of times that throttling began.
    pub throttle_events: u8,
    /// Current throttling, as text; `none` if it does not throttle.
    pub throttle_status: String,
    /// PCIe correctable errors.
    pub pcie_correctable: u64,
    /// Incomplete shutdowns.
    pub incomplete_shutdowns: u32,
    /// Health of the capacitor, in per cent of its margin.
    pub capacitor_percent: Option<u16>,
}

/// Power measurement log 25h.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PowerMeasurement {
    /// Mean over the interval, watts.
    pub average_w: Option<f64>,
    /// Maximum, watts.
    pub most_w: Option<f64>,
    /// Measurement error, per cent.
    pub error_percent: u8,
}
