//! Every decoder by a name: for raw pages that were kept, for fuzzing, and for the test that replays the corpus.

use serde::Serialize;
use serde_json::Value;

use crate::error::DecodeError;
use crate::{
    GeneralStatistics, IdentifyDevice, Sense, SmartData, SmartThresholds, SolidStateStatistics, TemperatureStatistics,
};

/// A decoder.
#[derive(Debug, Clone, Copy)]
pub struct Decoder {
    /// Its name, which is also that of its fuzz target and its folder of the corpus.
    pub name: &'static str,
    /// Bytes into JSON, by way of the type.
    pub decode: fn(&[u8]) -> Result<Value, DecodeError>,
}

/// All decoders, each as a name and a type with `decode`.
macro_rules! decoders {
    ($($name:literal => $kind:ident;)*) => {
        const DECODERS: &[Decoder] = &[
            $(Decoder { name: $name, decode: |bytes| as_json($name, &$kind::decode(bytes)?) },)*
            Decoder { name: "ata_sense", decode: sense },
        ];
    };
}

decoders! {
    "ata_identify" => IdentifyDevice;
    "ata_smart_data" => SmartData;
    "ata_smart_thresholds" => SmartThresholds;
    "ata_general_statistics" => GeneralStatistics;
    "ata_temperature_statistics" => TemperatureStatistics;
    "ata_solid_state_statistics" => SolidStateStatistics;
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

/// Sense data, in words: it is not a page.
fn sense(bytes: &[u8]) -> Result<Value, DecodeError> {
    Ok(Sense::decode(bytes).map_or(Value::Null, |sense| Value::String(sense.words())))
}

/// What was decoded, as JSON.
fn as_json(structure: &'static str, decoded: &impl Serialize) -> Result<Value, DecodeError> {
    serde_json::to_value(decoded).map_err(|error| DecodeError::Odd { structure, why: format!("not for JSON: {error}") })
}
