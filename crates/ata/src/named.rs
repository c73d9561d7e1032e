//! All decoders by name: for what gets bytes and a name, such as a fuzzer or a reader of recorded pages.

use serde_json::Value;

use crate::error::DecodeError;
use crate::identify::IdentifyDevice;
use crate::sense::Sense;
use crate::smart::{SmartData, SmartThresholds};

/// A decoder that answers with a JSON document.
#[derive(Debug, Clone, Copy)]
pub struct Decoder {
    /// The page's name, as [`crate::AtaCommand::page_name`] has it.
    pub name: &'static str,
    decode: fn(&[u8]) -> Result<Value, DecodeError>,
}

impl Decoder {
    /// Decodes bytes.
    ///
    /// # Errors
    /// They are no such structure.
    pub fn decode(&self, bytes: &[u8]) -> Result<Value, DecodeError> {
        (self.decode)(bytes)
    }
}

/// All decoders of this room.
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
    Decoder { name: "ata identify device", decode: |bytes| Ok(json(&IdentifyDevice::decode(bytes)?)) },
    Decoder { name: "ata information vpd", decode: |bytes| Ok(json(&IdentifyDevice::decode_vpd(bytes)?.0)) },
    Decoder { name: "ata smart data", decode: |bytes| Ok(json(&SmartData::decode(bytes)?)) },
    Decoder { name: "ata smart thresholds", decode: |bytes| Ok(json(&SmartThresholds::decode(bytes)?)) },
    Decoder { name: "ata sense", decode: |bytes| Ok(json(&Sense::decode(bytes))) },
];

fn json(decoded: &impl serde::Serialize) -> Value {
    // Only maps whose keys are no text cannot be shown, and no structure has one.
    serde_json::to_value(decoded).unwrap_or(Value::Null)
}
