//! A controller: typed readings, each with its raw page, and the few operations that change it.

use serde::Serialize;

use crate::commands::command::{AdminCommand, NSID_ALL, Request, Select};
use crate::commands::permit::DestroyPermit;
use crate::commands::transport::Transport;
use crate::pages::endurance_group::EnduranceGroup;
use crate::pages::error_log::{ErrorEntry, ErrorLog};
use crate::pages::fdp::{FdpConfigurations, FdpEvents, FdpHandleUsage, FdpStatistics, HandleStatusList};
use crate::pages::features::{
    AutonomousTransitions, FdpMode, HostMemoryBuffer, HostThermalManagement, InterruptCoalescing, PowerManagement,
    PowerMeasurementSetting, QueueCount, TemperatureThreshold, feature,
};
use crate::pages::firmware_slots::FirmwareSlots;
use crate::pages::identify_controller::IdentifyController;
use crate::pages::identify_namespace::IdentifyNamespace;
use crate::pages::namespace_list::{NamespaceIdentifiers, NamespaceList};
use crate::pages::ocp::OcpSmart;
use crate::pages::power_measurement::PowerMeasurement;
use crate::pages::sanitize::SanitizeStatus;
use crate::pages::security::ProtocolList;
use crate::pages::self_test::SelfTestLog;
use crate::pages::smart::SmartLog;
use crate::pages::supported_logs::SupportedLogs;
use crate::pages::tcg::Level0;
use crate::reading::error::{DecodeError, NvmeError};
use crate::reading::fields::bit;

/// Bytes of a log page that are read at a time: every controller accepts this, whatever its largest transfer.
const LOG_PART: usize = 4096;
/// The longest page that is read, bytes: a longer announced length is not trusted.
const LOG_MAX: usize = 1 << 20;

/// A decoded page with the bytes that it came from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page<T> {
    /// The decoded structure.
    pub decoded: T,
    /// The bytes.
    #[serde(skip)]
    pub raw: Vec<u8>,
}

/// Which user data a format erases (SES; Base, section 5.14).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecureErase {
    /// 0: none.
    None,
    /// 1: user data.
    UserData,
    /// 2: by destroying the key.
    Cryptographic,
}

/// How a namespace is formatted. Metadata and protection information are left off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatOptions {
    /// The block format's number in the namespace's list.
    pub block_format: u8,
    /// Which user data is erased.
    pub erase: SecureErase,
}

/// What a sanitize does (SANACT; Base, section 5.24).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SanitizeAction {
    /// 1: leave failure mode after a failed one.
    ExitFailure,
    /// 2: erase the flash.
    BlockErase,
    /// 3: overwrite with a pattern, a number of times (1 to 16).
    Overwrite {
        /// OVRPAT: the pattern.
        pattern: u32,
        /// OWPASS: number of passes.
        passes: u8,
    },
    /// 4: destroy the key.
    CryptoErase,
}

/// How a drive is sanitized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SanitizeOptions {
    /// What is done.
    pub action: SanitizeAction,
    /// AUSE: a failure leaves the drive usable.
    pub unrestricted_exit: bool,
    /// NDAS: blocks are not deallocated afterwards.
    pub keep_allocated: bool,
}

/// A controller behind a transport.
#[derive(Debug)]
pub struct Controller<T> {
    transport: T,
}

impl<T: Transport> Controller<T> {
    /// The controller that `transport` leads to.
    pub fn new(transport: T) -> Self {
        Controller { transport }
    }

    /// The transport to it.
    pub fn transport(&self) -> &T {
        &self.transport
    }

    /// Sends a command that answers with `length` bytes.
    fn read(&self, request: Request, length: usize) -> Result<(u32, Vec<u8>), NvmeError> {
        let mut data = vec![0; length];
        let dword0 = self.transport.admin(&AdminCommand::new(request, length), &mut data)?;
        Ok((dword0, data))
    }

    /// A page of a fixed size.
    fn page<D>(&self, request: Request, length: usize, decode: Decode<D>) -> Result<Page<D>, NvmeError> {
        let (_, raw) = self.read(request, length)?;
        Ok(Page { decoded: decode(&raw)?, raw })
    }

    /// A log page of any length, in parts of 4 KiB.
    fn log<D>(&self, request: &Request, length: usize, decode: Decode<D>) -> Result<Page<D>, NvmeError> {
        // Lengths are in dwords.
        let length = length.min(LOG_MAX).next_multiple_of(4);
        let mut raw = Vec::with_capacity(length);
        while raw.len() < length {
            let mut part = vec![0; LOG_PART.min(length - raw.len())];
            let offset = u64::try_from(raw.len()).unwrap_or(u64::MAX);
            self.transport.admin(&AdminCommand::new(request.clone(), part.len()).at(offset), &mut part)?;
            raw.append(&mut part);
        }
        Ok(Page { decoded: decode(&raw)?, raw })
    }

    /// Identify Controller.
    ///
    /// # Errors
    /// It was refused, the kernel did not let it through, or the answer is not a valid structure. The same holds for
    /// all readings.
    pub fn identify_controller(&self) -> Result<Page<IdentifyController>, NvmeError> {
        self.page(Request::Identify { cns: 1, nsid: 0 }, IdentifyController::SIZE, IdentifyController::decode)
    }

    /// Identify Namespace.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn identify_namespace(&self, nsid: u32) -> Result<Page<IdentifyNamespace>, NvmeError> {
        self.page(Request::Identify { cns: 0, nsid }, IdentifyNamespace::SIZE, IdentifyNamespace::decode)
    }

    /// The active namespaces above `after` (0 for the first 1,024).
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn active_namespaces(&self, after: u32) -> Result<Page<NamespaceList>, NvmeError> {
        self.page(Request::Identify { cns: 2, nsid: after }, NamespaceList::SIZE, NamespaceList::decode)
    }

    /// The namespaces above `after` that exist, attached to this controller or not. Needs namespace management
    /// (Identify, CNS 10h).
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn allocated_namespaces(&self, after: u32) -> Result<Page<NamespaceList>, NvmeError> {
        self.page(Request::Identify { cns: 0x10, nsid: after }, NamespaceList::SIZE, NamespaceList::decode)
    }

    /// The identifiers of a namespace, its UUID among them (NVMe 1.3).
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn namespace_identifiers(&self, nsid: u32) -> Result<Page<NamespaceIdentifiers>, NvmeError> {
        self.page(Request::Identify { cns: 3, nsid }, NamespaceIdentifiers::SIZE, NamespaceIdentifiers::decode)
    }

    /// Which log pages it has (since NVMe 2.0).
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn supported_logs(&self) -> Result<Page<SupportedLogs>, NvmeError> {
        self.log(&log(0x00, NSID_ALL), SupportedLogs::SIZE, SupportedLogs::decode)
    }

    /// SMART / health of the whole controller.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn smart(&self) -> Result<Page<SmartLog>, NvmeError> {
        self.log(&log(0x02, NSID_ALL), SmartLog::SIZE, SmartLog::decode)
    }

    /// The newest `entries` of the error log (at most as many as Identify Controller reports).
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn error_log(&self, entries: u16) -> Result<Page<ErrorLog>, NvmeError> {
        self.log(&log(0x01, NSID_ALL), usize::from(entries.max(1)) * ErrorEntry::SIZE, ErrorLog::decode)
    }

    /// The log of self-tests.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn self_test_log(&self) -> Result<Page<SelfTestLog>, NvmeError> {
        self.log(&log(0x06, NSID_ALL), SelfTestLog::SIZE, SelfTestLog::decode)
    }

    /// The firmware slots.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn firmware_slots(&self) -> Result<Page<FirmwareSlots>, NvmeError> {
        self.log(&log(0x03, NSID_ALL), FirmwareSlots::SIZE, FirmwareSlots::decode)
    }

    /// An endurance group.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn endurance_group(&self, group: u16) -> Result<Page<EnduranceGroup>, NvmeError> {
        self.log(&group_log(0x09, group, 0), EnduranceGroup::SIZE, EnduranceGroup::decode)
    }

    /// The FDP configurations of an endurance group.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn fdp_configurations(&self, group: u16) -> Result<Page<FdpConfigurations>, NvmeError> {
        let request = group_log(0x20, group, 0);
        let (_, head) = self.read(request.clone(), FdpConfigurations::HEAD)?;
        let length = FdpConfigurations::length(&head)?.max(FdpConfigurations::HEAD);
        self.log(&request, length, FdpConfigurations::decode)
    }

    /// How the reclaim unit handles of an endurance group are used; `handles` is their number in its configuration.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn fdp_handle_usage(&self, group: u16, handles: u16) -> Result<Page<FdpHandleUsage>, NvmeError> {
        self.log(&group_log(0x21, group, 0), 8 + usize::from(handles) * 8, FdpHandleUsage::decode)
    }

    /// What was written with flexible data placement.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn fdp_statistics(&self, group: u16) -> Result<Page<FdpStatistics>, NvmeError> {
        self.log(&group_log(0x22, group, 0), FdpStatistics::SIZE, FdpStatistics::decode)
    }

    /// FDP events: the host's, or the controller's.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn fdp_events(&self, group: u16, of_host: bool) -> Result<Page<FdpEvents>, NvmeError> {
        self.log(&group_log(0x23, group, u8::from(of_host)), FdpEvents::SIZE, FdpEvents::decode)
    }

    /// The status of a namespace's reclaim unit handles. It goes to an I/O queue, so the transport must be a
    /// namespace's node.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn handle_status(&self, nsid: u32) -> Result<Page<HandleStatusList>, NvmeError> {
        let (_, head) = self.read(Request::HandleStatus { nsid }, HandleStatusList::HEAD)?;
        let length = HandleStatusList::length(&head)?.min(LOG_MAX);
        self.page(Request::HandleStatus { nsid }, length, HandleStatusList::decode)
    }

    /// The power that the controller measured.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn power_measurement(&self) -> Result<Page<PowerMeasurement>, NvmeError> {
        let request = log(0x25, NSID_ALL);
        let (_, head) = self.read(request.clone(), PowerMeasurement::SIZE)?;
        let announced = head.get(4..8).and_then(|size| size.try_into().ok()).map_or(0, u32::from_le_bytes);
        let length = usize::try_from(announced).unwrap_or(0).max(PowerMeasurement::SIZE);
        self.log(&request, length, PowerMeasurement::decode)
    }

    /// The extended SMART page of data-centre drives.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`]; also if the vendor uses that page for something else.
    pub fn ocp_smart(&self) -> Result<Page<OcpSmart>, NvmeError> {
        self.log(&log(0xC0, NSID_ALL), OcpSmart::SIZE, OcpSmart::decode)
    }

    /// Progress of a sanitize.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn sanitize_status(&self) -> Result<Page<SanitizeStatus>, NvmeError> {
        self.log(&log(0x81, NSID_ALL), SanitizeStatus::SIZE, SanitizeStatus::decode)
    }

    /// The security protocols.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn security_protocols(&self) -> Result<Page<ProtocolList>, NvmeError> {
        let request = Request::SecurityReceive { protocol: 0, specific: 0 };
        self.page(request, ProtocolList::SIZE, ProtocolList::decode)
    }

    /// TCG level 0 discovery.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn tcg_level_0(&self) -> Result<Page<Level0>, NvmeError> {
        self.page(Request::SecurityReceive { protocol: 1, specific: 1 }, Level0::SIZE, Level0::decode)
    }

    /// A feature's value: dword 0 of the answer. `argument` is command dword 11, 0 for most.
    fn get_feature(&self, feature: u8, select: Select, argument: u32) -> Result<u32, NvmeError> {
        Ok(self.read(Request::GetFeature { feature, select, argument }, 0)?.0)
    }

    /// A feature's value with its data.
    fn feature_data<D>(&self, feature: u8, length: usize, decode: Decode<D>) -> Result<(u32, Page<D>), NvmeError> {
        let request = Request::GetFeature { feature, select: Select::Current, argument: 0 };
        let (dword0, raw) = self.read(request, length)?;
        Ok((dword0, Page { decoded: decode(&raw)?, raw }))
    }

    /// The power state.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn power_state(&self) -> Result<PowerManagement, NvmeError> {
        self.get_feature(feature::POWER_MANAGEMENT, Select::Current, 0).map(PowerManagement::of)
    }

    /// Sets the power state, until the next power cycle at the latest; nothing is saved.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`]; a state that does not exist is refused.
    pub fn set_power_state(&self, state: PowerManagement) -> Result<(), NvmeError> {
        self.set_feature(feature::POWER_MANAGEMENT, state.bits())
    }

    /// Starts or stops the controller's measurement of its power; nothing is saved.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn set_power_measurement(&self, setting: PowerMeasurementSetting) -> Result<(), NvmeError> {
        self.set_feature(feature::POWER_MEASUREMENT, setting.bits())
    }

    /// Sets a feature that has no data.
    fn set_feature(&self, feature: u8, value: u32) -> Result<(), NvmeError> {
        self.transport.admin(&AdminCommand::new(Request::SetFeature { feature, value }, 0), &mut []).map(|_| ())
    }

    /// The upper threshold of a sensor (0 is the composite temperature), or the lower one if `under`.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn temperature_threshold(&self, sensor: u8, under: bool) -> Result<TemperatureThreshold, NvmeError> {
        let argument = TemperatureThreshold::argument(sensor, under);
        self.get_feature(feature::TEMPERATURE_THRESHOLD, Select::Current, argument).map(TemperatureThreshold::of)
    }

    /// Whether the volatile write cache is on (WCE, bit 0).
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn write_cache_enabled(&self) -> Result<bool, NvmeError> {
        self.get_feature(feature::VOLATILE_WRITE_CACHE, Select::Current, 0).map(|dword| bit(dword, 0))
    }

    /// How many I/O queues it granted.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn queue_count(&self) -> Result<QueueCount, NvmeError> {
        self.get_feature(feature::NUMBER_OF_QUEUES, Select::Current, 0).map(QueueCount::of)
    }

    /// How it delays interrupts.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn interrupt_coalescing(&self) -> Result<InterruptCoalescing, NvmeError> {
        self.get_feature(feature::INTERRUPT_COALESCING, Select::Current, 0).map(InterruptCoalescing::of)
    }

    /// Whether it changes power states by itself (APSTE, bit 0), and how.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn autonomous_transitions(&self) -> Result<(bool, Page<AutonomousTransitions>), NvmeError> {
        let (size, decode) = (AutonomousTransitions::SIZE, AutonomousTransitions::decode);
        let (dword0, page) = self.feature_data(feature::AUTONOMOUS_TRANSITION, size, decode)?;
        Ok((bit(dword0, 0), page))
    }

    /// Whether it uses memory of the host (EHM, bit 0), and how much.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn host_memory_buffer(&self) -> Result<(bool, Page<HostMemoryBuffer>), NvmeError> {
        let (dword0, page) = self.feature_data(feature::HOST_MEMORY_BUFFER, 4096, HostMemoryBuffer::decode)?;
        Ok((bit(dword0, 0), page))
    }

    /// The throttling temperatures that the host set.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn host_thermal_management(&self) -> Result<HostThermalManagement, NvmeError> {
        self.get_feature(feature::HOST_THERMAL_MANAGEMENT, Select::Current, 0).map(HostThermalManagement::of)
    }

    /// Whether flexible data placement is on in an endurance group.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn fdp_mode(&self, group: u16) -> Result<FdpMode, NvmeError> {
        self.get_feature(feature::FLEXIBLE_DATA_PLACEMENT, Select::Current, u32::from(group)).map(FdpMode::of)
    }

    /// The setting of the power measurement.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn power_measurement_setting(&self) -> Result<PowerMeasurementSetting, NvmeError> {
        self.get_feature(feature::POWER_MEASUREMENT, Select::Current, 0).map(PowerMeasurementSetting::of)
    }

    /// Formats a namespace ([`NSID_ALL`] for all). It returns when formatting is done; another thread may read
    /// [`IdentifyNamespace::format_remaining_percent`] meanwhile.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn format_namespace(&self, nsid: u32, options: FormatOptions, _: DestroyPermit) -> Result<(), NvmeError> {
        let erase = match options.erase {
            SecureErase::None => 0,
            SecureErase::UserData => 1,
            SecureErase::Cryptographic => 2,
        };
        // Command dword 10: LBAFL in bits 3:0, SES in 11:9, LBAFU in 13:12.
        let format = u32::from(options.block_format);
        let value = format & 0xF | erase << 9 | (format >> 4 & 0b11) << 12;
        self.transport.admin(&AdminCommand::new(Request::Format { nsid, value }, 0), &mut []).map(|_| ())
    }

    /// Starts a sanitize of the whole subsystem. It returns immediately; [`Controller::sanitize_status`] reports the
    /// progress.
    ///
    /// # Errors
    /// As for [`Controller::identify_controller`].
    pub fn sanitize(&self, options: SanitizeOptions, _: DestroyPermit) -> Result<(), NvmeError> {
        let (action, pattern, passes) = match options.action {
            SanitizeAction::ExitFailure => (1, 0, 0),
            SanitizeAction::BlockErase => (2, 0, 0),
            SanitizeAction::Overwrite { pattern, passes } => (3, pattern, u32::from(passes) & 0xF),
            SanitizeAction::CryptoErase => (4, 0, 0),
        };
        // Command dword 10: SANACT in bits 2:0, AUSE in 3, OWPASS in 7:4 (0 is 16 passes), NDAS in 9.
        let (unrestricted, keep) = (u32::from(options.unrestricted_exit), u32::from(options.keep_allocated));
        let value = action | unrestricted << 3 | passes << 4 | keep << 9;
        self.transport.admin(&AdminCommand::new(Request::Sanitize { value, pattern }, 0), &mut []).map(|_| ())
    }
}

/// A decoder.
type Decode<D> = fn(&[u8]) -> Result<D, DecodeError>;

fn log(page: u8, nsid: u32) -> Request {
    Request::LogPage { log: page, nsid, parameter: 0, specific: 0 }
}

/// A log page of an endurance group, which is given in the identifier.
fn group_log(page: u8, group: u16, parameter: u8) -> Request {
    Request::LogPage { log: page, nsid: 0, parameter, specific: group }
}
