//! NVMe: bytes into meaning, and the commands that fetch the bytes.
//!
//! Owns: the structures of the NVMe specifications and of the OCP data-centre specification, each field with its
//! abbreviation and offset; the few commands that drivelab sends ([`AdminCommand`]); the ways a command travels
//! ([`Transport`]: the kernel's ioctl, recorded pages); what a controller says that cannot be true ([`sanity`]). Must
//! not know: sysfs, which drive may be written, schedules, terminals. A decoder takes bytes of any length and content,
//! never panics, and answers a page that is too short with an error that says so.
//!
//! Documents, as the comments cite them: *Base* is the NVM Express Base Specification (revision 2.0 where no other is
//! named), *NVM* the NVM Command Set Specification 1.0, *PCIe* the NVMe over PCIe Transport Specification 1.0, *OCP*
//! the OCP Datacenter NVMe SSD Specification 2.0, *TCG* the TCG Storage Architecture Core Specification 2.01 and the
//! specifications of its security subsystem classes. Bytes count from 0; bits are written `high:low`.

mod bar;
mod command;
mod controller;
mod counter;
mod device_node;
mod endurance_group;
mod error;
mod error_log;
mod fdp;
mod features;
mod fields;
mod firmware_slots;
mod identify_abilities;
mod identify_controller;
mod identify_namespace;
mod ioctl;
mod named;
mod namespace_list;
mod ocp;
mod permit;
mod placed_write;
mod power_measurement;
mod power_state;
mod recorded;
mod registers;
mod sanitize;
pub mod sanity;
mod security;
mod self_test;
mod smart;
mod status;
mod supported_logs;
mod tcg;
mod temperature;
mod transport;

pub use command::{AdminCommand, NSID_ALL, Request, Select};
pub use controller::{Controller, FormatOptions, Page, SanitizeAction, SanitizeOptions, SecureErase};
pub use counter::Counter;
pub use device_node::IoctlTransport;
pub use endurance_group::EnduranceGroup;
pub use error::{DecodeError, NvmeError};
pub use error_log::{ErrorEntry, ErrorLog};
pub use fdp::{
    FdpAttributes, FdpConfiguration, FdpConfigurations, FdpEvent, FdpEvents, FdpHandleUsage, FdpStatistics, HandleKind,
    HandleStatus, HandleStatusList, HandleUse,
};
pub use features::{
    AutonomousTransition, AutonomousTransitions, FdpMode, HostMemoryBuffer, HostThermalManagement, InterruptCoalescing,
    PowerManagement, PowerMeasurementSetting, QueueCount, TemperatureThreshold, feature,
};
pub use firmware_slots::FirmwareSlots;
pub use identify_abilities::{
    AdminCommands, ControllerAttributes, ControllerKind, FirmwareUpdates, FormatAttributes, IoCommands, LogAttributes,
    SanitizeAbilities, SharedUse, WriteCache,
};
pub use identify_controller::{IdentifyController, Version};
pub use identify_namespace::{
    BlockFormat, BlockProtection, FormatIndex, IdentifyNamespace, NamespaceFeatures, PreferredGranularity,
    RelativePerformance,
};
pub use named::{Decoder, decoder, decoders};
pub use namespace_list::{NamespaceIdentifiers, NamespaceList};
pub use ocp::OcpSmart;
pub use permit::DestroyPermit;
pub use placed_write::PlacedWrite;
pub use power_measurement::{PowerBin, PowerMeasurement};
pub use power_state::{ActivePowerWorkload, PowerState};
pub use recorded::{RecordedTransport, Recording};
pub use registers::Capabilities;
pub use sanitize::{SanitizeOutcome, SanitizeStatus};
pub use security::ProtocolList;
pub use self_test::{SelfTestKind, SelfTestLog, SelfTestOutcome, SelfTestResult};
pub use smart::{CriticalWarning, Sensor, SmartLog};
pub use status::Status;
pub use supported_logs::SupportedLogs;
pub use tcg::{Level0, Locking, SecurityClass};
pub use temperature::celsius;
pub use transport::Transport;
