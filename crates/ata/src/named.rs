//! All decoders by name, for callers that have bytes and a name, such as a fuzzer or a reader of recorded pages.

use serde_json::Value;

use crate::error::DecodeError;
use crate::identify::IdentifyDevice;
use crate::sense::Sense;
use crate::smart::{SmartData, SmartThresholds};

/// A decoder.
#[derive(Debug, Clone, Copy)]
pub struct Decoder {
    /// Its name, also that of its fuzz target and its corpus folder.
    pub name: &'static str,
    /// Decodes bytes to JSON, through the type.
    pub decode: fn(&[u8]) -> Result<Value, DecodeError>,
}

/// All decoders of this crate.
#[must_use]
pub fn decoders() -> &'static [Decoder] {
    &DECODERS
}

/// The decoder of a name.
#[must_use]
pub fn decoder(name: &str) -> Option<&'static Decoder> {
    DECODERS.iter().find(|decoder| decoder.name == name)
}

static DECODERS: [Decoder; 5] = [
    Decoder { name: "ata_identify_device", decode: |bytes| Ok(json(&IdentifyDevice::decode(bytes)?)) },
    Decoder { name: "ata_information_vpd", decode: |bytes| Ok(json(&IdentifyDevice::decode_vpd(bytes)?.0)) },
    Decoder { name: "ata_smart_data", decode: |bytes| Ok(json(&SmartData::decode(bytes)?)) },
    Decoder { name: "ata_smart_thresholds", decode: |bytes| Ok(json(&SmartThresholds::decode(bytes)?)) },
    Decoder { name: "ata_sense", decode: |bytes| Ok(json(&Sense::decode(bytes))) },
];

fn json(decoded: &impl serde::Serialize) -> Value {
    // Only maps with keys that are not text cannot be converted, and no structure has one.
    serde_json::to_value(decoded).unwrap_or(Value::Null)
}
