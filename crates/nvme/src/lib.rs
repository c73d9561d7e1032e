//! NVMe: decodes bytes into typed structures, and defines the commands that fetch the bytes.
//!
//! Owns: the structures of the NVMe specifications and of the OCP data-centre specification, each field with its
//! abbreviation and offset; the few commands that drivelab sends ([`AdminCommand`]); the ways a command travels
//! ([`Transport`]: the kernel's ioctl, recorded pages); controller reports that cannot be true ([`sanity`]). Must not
//! know: sysfs, which drive may be written, schedules, terminals. A decoder takes bytes of any length and content,
//! never panics, and returns an error for a page that is too short.
//!
//! Documents, as the comments cite them: *Base* is the NVM Express Base Specification (revision 2.0 unless another is
//! named), *NVM* the NVM Command Set Specification 1.0, *PCIe* the NVMe over PCIe Transport Specification 1.0, *OCP*
//! the OCP Datacenter NVMe SSD Specification 2.0, *TCG* the TCG Storage Architecture Core Specification 2.01 and the
//! specifications of its security subsystem classes. Bytes count from 0; bits are written `high:low`.

mod commands;
mod pages;
mod reading;

pub use commands::command::{AdminCommand, NSID_ALL, Request, Select};
pub use commands::controller::{Controller, FormatOptions, Page, SanitizeAction, SanitizeOptions, SecureErase};
pub use commands::device_node::IoctlTransport;
pub use commands::permit::DestroyPermit;
pub use commands::placed_write::PlacedWrite;
pub use commands::recorded::{RecordedTransport, Recording};
pub use commands::status::Status;
pub use commands::transport::Transport;
pub use pages::endurance_group::EnduranceGroup;
pub use pages::error_log::{ErrorEntry, ErrorLog};
pub use pages::fdp::{
    FdpAttributes, FdpConfiguration, FdpConfigurations, FdpEvent, FdpEvents, FdpHandleUsage, FdpStatistics, HandleKind,
    HandleStatus, HandleStatusList, HandleUse,
};
pub use pages::features::{
    AutonomousTransition, AutonomousTransitions, FdpMode, HostMemoryBuffer, HostThermalManagement, InterruptCoalescing,
    PowerManagement, PowerMeasurementSetting, QueueCount, TemperatureThreshold, feature,
};
pub use pages::firmware_slots::FirmwareSlots;
pub use pages::identify_abilities::{
    AdminCommands, ControllerAttributes, ControllerKind, FirmwareUpdates, FormatAttributes, IoCommands, LogAttributes,
    SanitizeAbilities, SharedUse, WriteCache,
};
pub use pages::identify_controller::{IdentifyController, Version};
pub use pages::identify_namespace::{
    BlockFormat, BlockProtection, FormatIndex, IdentifyNamespace, NamespaceFeatures, PreferredGranularity,
    RelativePerformance,
};
pub use pages::namespace_list::{NamespaceIdentifiers, NamespaceList};
pub use pages::ocp::OcpSmart;
pub use pages::power_measurement::{PowerBin, PowerMeasurement};
pub use pages::power_state::{ActivePowerWorkload, PowerState};
pub use pages::registers::Capabilities;
pub use pages::sanitize::{SanitizeOutcome, SanitizeStatus};
pub use pages::security::ProtocolList;
pub use pages::self_test::{SelfTestKind, SelfTestLog, SelfTestOutcome, SelfTestResult};
pub use pages::smart::{CriticalWarning, Sensor, SmartLog};
pub use pages::supported_logs::SupportedLogs;
pub use pages::tcg::{Level0, Locking, SecurityClass};
pub use reading::counter::Counter;
pub use reading::error::{DecodeError, NvmeError};
pub use reading::named::{Decoder, decoder, decoders};
pub use reading::sanity;
pub use reading::temperature::celsius;
