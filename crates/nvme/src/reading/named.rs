//! Every decoder by name: for raw pages that were kept, for fuzzing, and for the test that replays the corpus.

use serde::Serialize;
use serde_json::Value;

use crate::reading::error::DecodeError;
use crate::{
    AutonomousTransitions, Capabilities, EnduranceGroup, ErrorLog, FdpConfigurations, FdpEvents, FdpHandleUsage,
    FdpStatistics, FirmwareSlots, HandleStatusList, HostMemoryBuffer, IdentifyController, IdentifyNamespace, Level0,
    NamespaceIdentifiers, NamespaceList, OcpSmart, PowerMeasurement, PowerState, ProtocolList, SanitizeStatus,
    SelfTestLog, SmartLog, SupportedLogs,
};

/// A decoder.
#[derive(Debug, Clone, Copy)]
pub struct Decoder {
    /// Its name, also that of its fuzz target and its corpus folder.
    pub name: &'static str,
    /// Decodes bytes to JSON, through the type.
    pub decode: fn(&[u8]) -> Result<Value, DecodeError>,
}

/// All decoders, each as a name and a type with `decode`.
macro_rules! decoders {
    ($($name:literal => $kind:ident;)*) => {
        const DECODERS: &[Decoder] = &[
            $(Decoder { name: $name, decode: |bytes| as_json($name, &$kind::decode(bytes)?) },)*
        ];
    };
}

decoders! {
    "identify_controller" => IdentifyController;
    "identify_namespace" => IdentifyNamespace;
    "namespace_list" => NamespaceList;
    "namespace_identifiers" => NamespaceIdentifiers;
    "power_state" => PowerState;
    "smart" => SmartLog;
    "error_log" => ErrorLog;
    "self_test" => SelfTestLog;
    "firmware_slots" => FirmwareSlots;
    "supported_logs" => SupportedLogs;
    "endurance_group" => EnduranceGroup;
    "fdp_configurations" => FdpConfigurations;
    "fdp_handle_usage" => FdpHandleUsage;
    "fdp_statistics" => FdpStatistics;
    "fdp_events" => FdpEvents;
    "handle_status" => HandleStatusList;
    "power_measurement" => PowerMeasurement;
    "ocp_smart" => OcpSmart;
    "sanitize_status" => SanitizeStatus;
    "autonomous_transitions" => AutonomousTransitions;
    "host_memory_buffer" => HostMemoryBuffer;
    "protocol_list" => ProtocolList;
    "tcg_level_0" => Level0;
    "capabilities" => Capabilities;
}

/// All decoders.
#[must_use]
pub fn decoders() -> &'static [Decoder] {
    DECODERS
}

/// The decoder of this name.
#[must_use]
pub fn decoder(name: &str) -> Option<&'static Decoder> {
    DECODERS.iter().find(|decoder| decoder.name == name)
}

/// The decoded structure, as JSON.
fn as_json(structure: &'static str, decoded: &impl Serialize) -> Result<Value, DecodeError> {
    serde_json::to_value(decoded)
        .map_err(|error| DecodeError::Odd { structure, why: format!("cannot be written as JSON: {error}") })
}
