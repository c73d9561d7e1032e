//! Asks an NVMe controller for its pages: the mandatory ones, those that it reports as supported, and optional ones.
//!
//! Owns which pages are requested and how a refusal is handled: pages that a controller does not offer are left out,
//! missing permission is reported once, any other refusal is reported with the controller's answer. The conversion to
//! common units is in `facts`, the checks for implausible values in `drivelab_nvme::sanity`.

mod facts;

use std::fs::File;
use std::path::{Path, PathBuf};

use drivelab_core::probe::{Contradiction, Health, NotKnown, NvmeProbe, RawPage, TargetProbe, Temperature};
use drivelab_core::units::Bytes;
use drivelab_nvme::{Capabilities, Controller, IoctlTransport, NvmeError, Page, Transport, celsius, sanity};

use super::depth::{Depth, raw_page};
use super::rights::{ASKS_DRIVES, how_to_get};
use crate::block::folders::{name_of, nvme_controller, whole_of};
use crate::block::node::BlockNode;
use crate::block::nvme_node::node_of;
use crate::roots::read_trim;

/// Entries of the error log that are requested.
const ERRORS: u16 = 16;
/// Most endurance groups that are requested.
const MOST_GROUPS: u16 = 16;
/// Most namespaces that are requested.
const MOST_NAMESPACES: usize = 32;

/// Asks the controller of a namespace, and stores its answers.
pub(super) fn ask(probe: &mut TargetProbe, node: &BlockNode, depth: Depth, not_known: &mut Vec<NotKnown>) {
    let Some(folder) = nvme_controller(whole_of(&node.folder).0) else { return };
    let name = name_of(&folder);
    let paths = [node_of(&folder), node.path.clone()];
    let transport = match open(&paths) {
        Ok(transport) => transport,
        Err(error) => return not_known.push(not_asked(&error)),
    };
    let mut asking =
        Asking { controller: Controller::new(transport), raw: Vec::new(), not_known: Vec::new(), barred: false };
    match depth {
        Depth::Brief => brief(probe, &mut asking),
        Depth::Full => full(probe, &mut asking, &folder, name),
    }
    probe.raw.append(&mut asking.raw);
    not_known.append(&mut asking.not_known);
    placement(probe, node, not_known);
}

/// The placement handles of the namespace and their use, if the drive has Flexible Data Placement. The command goes
/// to an I/O queue, and so through the namespace's own node.
fn placement(probe: &mut TargetProbe, node: &BlockNode, not_known: &mut Vec<NotKnown>) {
    let Some(fdp) = probe.nvme.as_mut().and_then(|nvme| nvme.fdp.as_mut()) else { return };
    if fdp.enabled != Some(true) {
        return;
    }
    let opened = IoctlTransport::open(&Path::new("/dev").join(&node.whole));
    let (namespace, transport) = match opened.and_then(|transport| Ok((transport.namespace_id()?, transport))) {
        Ok(both) => both,
        Err(error) => return not_known.push(not_asked(&error)),
    };
    let mut asking =
        Asking { controller: Controller::new(transport), raw: Vec::new(), not_known: Vec::new(), barred: false };
    if let Some(page) = asking.page("reclaim unit handle status", |controller| controller.handle_status(namespace)) {
        fdp.placement = facts::placement(namespace, &page);
    }
    probe.raw.append(&mut asking.raw);
    not_known.append(&mut asking.not_known);
}

fn open(paths: &[PathBuf]) -> Result<IoctlTransport, NvmeError> {
    let mut first = None;
    for path in paths {
        match IoctlTransport::open(path) {
            Ok(transport) => return Ok(transport),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or(NvmeError::NotSupported { what: "any command".to_owned(), why: "there is no node".to_owned() }))
}

fn not_asked(error: &NvmeError) -> NotKnown {
    let how = if error.is_not_permitted() {
        how_to_get(ASKS_DRIVES, "run drivelab as root (sudo), or with the capability CAP_SYS_ADMIN")
    } else {
        String::new()
    };
    NotKnown { what: "the drive's own pages (health, features, logs)".to_owned(), why: error.to_string(), how }
}

/// Questions to one controller, and those without an answer.
struct Asking<T> {
    controller: Controller<T>,
    raw: Vec<RawPage>,
    not_known: Vec<NotKnown>,
    /// This user may not ask; this is reported once.
    barred: bool,
}

impl<T: Transport> Asking<T> {
    /// A page, stored as the controller returned it; `None` if the controller does not have it.
    fn page<D>(&mut self, name: &str, ask: impl FnOnce(&Controller<T>) -> Result<Page<D>, NvmeError>) -> Option<D> {
        let page = self.value(name, |controller| ask(controller))?;
        self.raw.push(raw_page(format!("nvme {name}"), &page.raw));
        Some(page.decoded)
    }

    /// A value; `None` if the controller does not have it.
    fn value<D>(&mut self, name: &str, ask: impl FnOnce(&Controller<T>) -> Result<D, NvmeError>) -> Option<D> {
        if self.barred {
            return None;
        }
        match ask(&self.controller) {
            Ok(value) => Some(value),
            Err(error) if error.is_not_permitted() => {
                self.barred = true;
                self.not_known.push(not_asked(&error));
                None
            }
            Err(error) if error.is_not_supported() => None,
            Err(error) => {
                let (what, why) = (name.to_owned(), error.to_string());
                self.not_known.push(NotKnown { what, why, how: String::new() });
                None
            }
        }
    }
}

/// The health page only.
fn brief<T: Transport>(probe: &mut TargetProbe, asking: &mut Asking<T>) {
    if let Some(smart) = asking.page("SMART log", Controller::smart) {
        judge(probe, &smart);
    }
}

/// The drive's own report on its health, and its temperatures if the kernel has none.
fn judge(probe: &mut TargetProbe, smart: &drivelab_nvme::SmartLog) {
    probe.warnings = facts::warnings(smart);
    probe.health = if probe.warnings.is_empty() { Health::Good } else { Health::Warning };
    if probe.temperatures.is_empty() {
        let reading = |sensor: String, kelvin: u16| Temperature {
            sensor,
            celsius: f64::from(celsius(kelvin)),
            source: "SMART log".to_owned(),
        };
        if smart.composite_temperature_k != 0 {
            probe.temperatures.push(reading("Composite".to_owned(), smart.composite_temperature_k));
        }
        let sensors = smart.sensors.iter().map(|one| reading(format!("Sensor {}", one.number), one.temperature_k));
        probe.temperatures.extend(sensors);
    }
}

fn full<T: Transport>(probe: &mut TargetProbe, asking: &mut Asking<T>, folder: &Path, name: String) {
    let Some(identify) = asking.page("identify controller", Controller::identify_controller) else { return };
    let transport = read_trim(&folder.join("transport")).unwrap_or_else(|| "unknown".to_owned());
    let mut controller = facts::controller(&identify, name, transport);
    controller.queue_entries_most = queue_entries(folder, asking);
    let namespaces = namespaces(asking);
    let smart = asking.page("SMART log", Controller::smart);
    let errors = asking.page("error log", |controller| controller.error_log(ERRORS.min(identify.error_log_entries)));
    let self_tests = asking.page("self-test log", Controller::self_test_log);
    let slots = asking.page("firmware slots", Controller::firmware_slots);
    let ocp = asking.page("OCP log C0h", Controller::ocp_smart);
    let power = asking.page("power measurement log", Controller::power_measurement);
    let groups = if identify.attributes.endurance_groups { identify.endurance_group_max.min(MOST_GROUPS) } else { 0 };
    let endurance_groups = (1..=groups)
        .filter_map(|id| {
            let page = asking.page(&format!("endurance group {id}"), |controller| controller.endurance_group(id))?;
            Some(facts::endurance_group(id, &page))
        })
        .collect();
    let fdp =
        if identify.attributes.flexible_data_placement { (1..=groups).find_map(|id| fdp(asking, id)) } else { None };
    if let Some(smart) = &smart {
        judge(probe, smart);
        let lies = sanity::check(Some(&identify), Some(smart));
        let contradiction = |lie: sanity::Lie| Contradiction { what: lie.what, evidence: lie.evidence };
        probe.contradictions = lies.into_iter().map(contradiction).collect();
    }
    probe.nvme = Some(NvmeProbe {
        features: features(asking, &identify),
        power_states: facts::power_states(&identify),
        thermal: thermal(asking, &identify),
        security: security(asking, &identify),
        namespaces,
        health: smart.as_ref().map(facts::health),
        firmware_slots: slots.as_ref().map(facts::firmware_slots).unwrap_or_default(),
        errors: errors.as_ref().map(facts::errors).unwrap_or_default(),
        self_tests: self_tests.as_ref().map(facts::self_tests).unwrap_or_default(),
        endurance_groups,
        fdp,
        ocp: ocp.as_ref().map(facts::ocp),
        power_measurement: power.as_ref().map(facts::power_measurement),
        controller,
    });
}

/// CAP.MQES, if the kernel lets the controller's registers be read: `resource0` in sysfs maps BAR0
/// (Documentation/PCI/sysfs-pci.rst).
fn queue_entries<T>(folder: &Path, asking: &mut Asking<T>) -> Option<u32> {
    let resource = folder.join("device/resource0");
    if !resource.exists() {
        return None;
    }
    let capabilities = File::open(&resource).and_then(|window| Capabilities::read(&window));
    match capabilities {
        Ok(capabilities) => Some(capabilities.max_queue_entries),
        Err(error) => {
            asking.not_known.push(NotKnown {
                what: "maximum queue entries (register CAP)".to_owned(),
                why: format!("the controller's registers cannot be read: {error}"),
                how: "kernels that reserve registers for the driver allow reading them with the boot option iomem=relaxed"
                    .to_owned(),
            });
            None
        }
    }
}

fn namespaces<T: Transport>(asking: &mut Asking<T>) -> Vec<drivelab_core::probe::NamespaceProbe> {
    let list = asking.page("active namespaces", |controller| controller.active_namespaces(0));
    let ids = list.map_or_else(|| vec![1], |list| list.namespaces);
    let one = |id: u32| {
        let page = asking.page(&format!("identify namespace {id}"), |controller| controller.identify_namespace(id))?;
        page.is_active().then(|| facts::namespace(id, &page))
    };
    ids.into_iter().take(MOST_NAMESPACES).filter_map(one).collect()
}

fn features<T: Transport>(
    asking: &mut Asking<T>,
    identify: &drivelab_nvme::IdentifyController,
) -> drivelab_core::probe::NvmeFeatures {
    let queues = asking.value("number of queues", Controller::queue_count);
    let coalescing = asking.value("interrupt coalescing", Controller::interrupt_coalescing);
    let cache = identify.write_cache.present;
    let cache_enabled =
        if cache { asking.value("volatile write cache", Controller::write_cache_enabled) } else { None };
    let power_state = asking.value("power state", Controller::power_state);
    let autonomous = identify.autonomous_power_states;
    let autonomous = if autonomous {
        asking.value("autonomous power transitions", Controller::autonomous_transitions)
    } else {
        None
    };
    let wants_buffer = identify.memory_buffer_preferred_bytes > 0;
    let buffer = if wants_buffer { asking.value("host memory buffer", Controller::host_memory_buffer) } else { None };
    let in_use = coalescing.filter(|coalescing| coalescing.in_use);
    drivelab_core::probe::NvmeFeatures {
        submission_queues: queues.map(|queues| queues.submission),
        completion_queues: queues.map(|queues| queues.completion),
        coalescing_entries: in_use.map(|coalescing| u32::from(coalescing.entries)),
        coalescing_time_us: in_use.map(|coalescing| coalescing.delay_us),
        coalescing_known: coalescing.is_some(),
        write_cache_present: Some(cache),
        write_cache_enabled: cache_enabled,
        power_state: power_state.map(|power| power.state),
        autonomous_transitions: autonomous.map(|(on, _)| on),
        host_memory_buffer: buffer.map(|(on, _)| on),
        host_memory_wanted: wants_buffer.then(|| Bytes::new(identify.memory_buffer_preferred_bytes)),
    }
}

fn thermal<T: Transport>(
    asking: &mut Asking<T>,
    identify: &drivelab_nvme::IdentifyController,
) -> drivelab_core::probe::ThermalLimits {
    let of = |kelvin: Option<u16>| kelvin.map(|kelvin| f64::from(celsius(kelvin)));
    let host = identify.host_thermal_management;
    let management =
        if host { asking.value("host thermal management", Controller::host_thermal_management) } else { None };
    let threshold = asking.value("temperature threshold", |controller| controller.temperature_threshold(0, false));
    drivelab_core::probe::ThermalLimits {
        warning_c: of(identify.warning_temperature_k),
        critical_c: of(identify.critical_temperature_k),
        host_managed: host,
        host_lowest_c: of(identify.thermal_minimum_k).filter(|_| host),
        host_highest_c: of(identify.thermal_maximum_k).filter(|_| host),
        light_throttle_c: of(management.and_then(|management| management.light_k)),
        heavy_throttle_c: of(management.and_then(|management| management.heavy_k)),
        over_threshold_c: of(threshold.and_then(|threshold| threshold.threshold_k)),
    }
}

fn security<T: Transport>(
    asking: &mut Asking<T>,
    identify: &drivelab_nvme::IdentifyController,
) -> drivelab_core::probe::NvmeSecurity {
    let mut security = facts::security(identify);
    if identify.sanitize.any() {
        let status = asking.page("sanitize status", Controller::sanitize_status);
        security.sanitize_status = status.as_ref().map(facts::sanitize_status);
    }
    if identify.admin_commands.security {
        let protocols = asking.page("security protocols", Controller::security_protocols);
        security.ieee_1667 = protocols.as_ref().map(drivelab_nvme::ProtocolList::has_ieee_1667);
        if protocols.as_ref().is_some_and(drivelab_nvme::ProtocolList::has_tcg) {
            let level_0 = asking.page("TCG level 0 discovery", Controller::tcg_level_0);
            if let Some(level_0) = level_0 {
                security.tcg = level_0.classes.iter().map(|class| class.words().to_owned()).collect();
                security.locking_supported = level_0.locking.map(|locking| locking.supported);
                security.locking_enabled = level_0.locking.map(|locking| locking.enabled);
                security.locked = level_0.locking.map(|locking| locking.locked);
            }
        }
    }
    security
}

fn fdp<T: Transport>(asking: &mut Asking<T>, group: u16) -> Option<drivelab_core::probe::FdpProbe> {
    let configurations = asking.page("FDP configurations", |controller| controller.fdp_configurations(group))?;
    let mode = asking.value("flexible data placement", |controller| controller.fdp_mode(group));
    let statistics = asking.page("FDP statistics", |controller| controller.fdp_statistics(group));
    asking.page("FDP events", |controller| controller.fdp_events(group, false));
    let active = mode.filter(|mode| mode.enabled).map_or(0, |mode| usize::from(mode.configuration));
    let handles = configurations.configurations.get(active).map_or(0, |one| one.handles.len());
    let handles = u16::try_from(handles).unwrap_or(u16::MAX);
    let usage = asking.page("FDP handle usage", |controller| controller.fdp_handle_usage(group, handles));
    Some(facts::fdp(group, &configurations, mode, statistics.as_ref(), usage.as_ref()))
}

#[cfg(test)]
mod tests;
