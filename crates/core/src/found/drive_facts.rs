//! Facts about a drive that cannot be probed: data-sheet figures, cell type, endurance, warranty, price, each with
//! its source.
//!
//! Owns the types and the form of a drive facts file, how a file states its models, and which capacity's figures
//! apply. Must not know: where files are and how TOML is read (`device::drive_facts`). Unknown facts are absent: no
//! figure is a guess, and each has a certainty.

mod values;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Nanos};

pub use values::{
    BitErrors, Cell, CelsiusRange, Dimensions, DriveWrites, Hours, Iops, Price, Share, Speed, Value, Watts, Words,
    Written, Years, YesNo,
};

/// The version of the format that this drivelab reads and writes.
pub const FORMAT: u32 = 1;

/// Largest difference between the reported capacity and the one in the file, as a share: a drive sold as 256 GB holds
/// 256.06 GB, 1 TB is 1.0002 TB, and 1,024 GB is also sold as 1 TiB.
const NEAR: f64 = 0.02;

/// Certainty of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The source states it literally.
    Stated,
    /// It follows from what the source states.
    Derived,
    /// The author of the source measured it; the vendor does not promise it.
    Measured,
    /// The source rounds it, or writes "about".
    Approximate,
    /// It is common knowledge or an unchecked remark.
    Unverified,
}

impl Certainty {
    /// The name in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Certainty::Stated => "stated",
            Certainty::Derived => "derived",
            Certainty::Measured => "measured",
            Certainty::Approximate => "approximate",
            Certainty::Unverified => "unverified",
        }
    }
}

/// A value with its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Value")]
pub struct Figure<T> {
    /// The value as text with its unit.
    pub value: Written<T>,
    /// Id of the source, one of the file's sources.
    pub source: String,
    /// Certainty of the figure.
    pub certainty: Certainty,
    /// Conditions under which it applies, or what the reader must know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl<T: Value> Figure<T> {
    /// The value.
    #[must_use]
    pub const fn get(&self) -> &T {
        &self.value.value
    }
}

impl<T: Value> JsonSchema for Figure<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("FigureOf{}", T::NAME).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<Written<T>>();
        let certainty = generator.subschema_for::<Certainty>();
        schemars::json_schema!({
            "type": "object",
            "additionalProperties": false,
            "required": ["value", "source", "certainty"],
            "properties": {
                "value": value,
                "source": { "type": "string", "minLength": 1, "description": "Id of the source, one of the file's sources." },
                "certainty": certainty,
                "note": { "type": "string", "minLength": 1,
                    "description": "Conditions under which it applies, or what the reader must know." },
            },
        })
    }
}

/// A figure as a row of a table: its name and its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    /// The key in the file.
    pub key: &'static str,
    /// Label for display.
    pub label: &'static str,
    /// The value as written, with its unit.
    pub text: &'a str,
    /// The value in the base unit, if it is one number.
    pub number: Option<f64>,
    /// The base unit; empty if there is none.
    pub unit: &'static str,
    /// Id of the source.
    pub source: &'a str,
    /// Certainty of the figure.
    pub certainty: Certainty,
    /// Conditions under which it applies.
    pub note: Option<&'a str>,
}

/// All figures, each defined once: key, kind and label.
macro_rules! figures {
    ($($(#[$doc:meta])* $key:ident: $type:ty, $label:literal;)+) => {
        /// Figures of a drive, or of one of its capacities. Unknown figures are absent.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct Figures {
            $($(#[$doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $key: Option<Figure<$type>>,)+
        }

        impl Figures {
            /// The known figures, in a fixed order.
            #[must_use]
            pub fn rows(&self) -> Vec<Row<'_>> {
                let mut rows = Vec::new();
                $(rows.extend(self.$key.as_ref().map(|figure| row(stringify!($key), $label, figure)));)+
                rows
            }

            /// What the figure with this key is called.
            #[must_use]
            pub fn label(key: &str) -> Option<&'static str> {
                match key {
                    $(stringify!($key) => Some($label),)+
                    _ => None,
                }
            }

            /// These figures; if one is absent, that of `other`.
            #[must_use]
            pub fn or(&self, other: &Figures) -> Figures {
                Figures { $($key: self.$key.clone().or_else(|| other.$key.clone()),)+ }
            }
        }
    };
}

fn row<'a, T: Value>(key: &'static str, label: &'static str, figure: &'a Figure<T>) -> Row<'a> {
    Row {
        key,
        label,
        text: &figure.value.text,
        number: figure.get().number(),
        unit: T::UNIT,
        source: &figure.source,
        certainty: figure.certainty,
        note: figure.note.as_deref(),
    }
}

figures! {
    /// Highest rate of sequential reads; the note gives block size and queue depth if the source states them.
    sequential_read: Speed, "Sequential read";
    /// Highest rate of sequential writes.
    sequential_write: Speed, "Sequential write";
    /// Highest rate of random reads, 4 KiB unless the note states another size.
    random_read: Iops, "Random read";
    /// Highest rate of random writes, 4 KiB unless the note states another size.
    random_write: Iops, "Random write";
    /// Latency of one read.
    read_latency: Nanos, "Read latency";
    /// Latency of one write.
    write_latency: Nanos, "Write latency";
    /// Capacity of the flash that is written with one bit per cell.
    slc_cache: Bytes, "SLC cache";
    /// Active power.
    power_active: Watts, "Power, active";
    /// Idle power.
    power_idle: Watts, "Power, idle";
    /// Supply voltage.
    supply: Words, "Supply";
    /// Bits per cell.
    cell: Cell, "Cell type";
    /// Manufacturer, generation and layers of the flash.
    nand: Words, "NAND";
    /// Manufacturer and model of the controller.
    controller: Words, "Controller";
    /// DRAM of the controller.
    dram: Words, "DRAM";
    /// Bytes that the vendor allows to be written (TBW).
    endurance: Bytes, "Endurance (TBW)";
    /// Drive writes per day that the vendor allows, over the warranty.
    dwpd: DriveWrites, "Drive writes per day";
    /// Length of the warranty.
    warranty: Years, "Warranty";
    /// Mean time to failure.
    mttf: Hours, "MTTF";
    /// Unreadable bits per bit read.
    uber: BitErrors, "Unreadable bits";
    /// Share of drives that fail in a year.
    afr: Share, "Failures per year";
    /// Form factor: M.2 2280, U.2, E1.S and so on.
    form_factor: Words, "Form factor";
    /// Width, length, height.
    dimensions: Dimensions, "Dimensions";
    /// Bus, generation and lanes.
    interface: Words, "Interface";
    /// Version of NVMe or ATA.
    protocol: Words, "Protocol";
    /// Ambient temperature in operation.
    ambient: CelsiusRange, "Ambient, working";
    /// Ambient temperature in storage.
    ambient_stored: CelsiusRange, "Ambient, stored";
    /// Whether it is sold with a heat sink.
    heat_sink: YesNo, "Heat sink";
    /// Version of TCG Opal, or other security features.
    security: Words, "Security";
    /// Whether it supports IEEE 1667, which hardware BitLocker needs.
    ieee1667: YesNo, "IEEE 1667";
    /// Whether it supports Flexible Data Placement.
    fdp: YesNo, "FDP";
    /// Price on a given day.
    price: Price, "Price";
}

/// The model strings that the file describes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelPattern {
    /// The model string as the drive reports it, with `*` for any text and `#` for a whole number. Case does not
    /// matter, and spaces and underscores between words are equivalent.
    pub pattern: String,
    /// Id of the source.
    pub source: String,
    /// Certainty of the pattern.
    pub certainty: Certainty,
}

impl ModelPattern {
    /// Whether a model string matches.
    #[must_use]
    pub fn fits(&self, model: &str) -> bool {
        let pattern: Vec<char> = plain_model(&self.pattern).chars().collect();
        let model: Vec<char> = plain_model(model).chars().collect();
        fits(&pattern, &model)
    }

    /// Number of literal characters: if two patterns match, the one with more of them is chosen.
    #[must_use]
    pub fn literal(&self) -> usize {
        plain_model(&self.pattern).chars().filter(|sign| !matches!(sign, '*' | '#')).count()
    }
}

/// Lower case, with one space between words.
fn plain_model(model: &str) -> String {
    let words: Vec<String> =
        model.split(|sign: char| sign.is_whitespace() || sign == '_').map(str::to_lowercase).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// For each prefix of the text, whether the pattern so far can match it, character by character. The time is the
/// length of the pattern times the length of the text, whatever they contain.
fn fits(pattern: &[char], text: &[char]) -> bool {
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for sign in pattern {
        let mut next = vec![false; text.len() + 1];
        for end in 0..=text.len() {
            let before = end.checked_sub(1);
            let last = before.map(|at| text[at]);
            next[end] = match (sign, before) {
                ('*', before) => reached[end] || before.is_some_and(|at| next[at]),
                ('#', Some(at)) => last.is_some_and(|digit| digit.is_ascii_digit()) && (reached[at] || next[at]),
                (_, Some(at)) => last == Some(*sign) && reached[at],
                (_, None) => false,
            };
        }
        reached = next;
    }
    reached[text.len()]
}

/// Source of figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactSource {
    /// Short name that the figures refer to; 000 to 004 are the reviews that drivelab reproduces.
    pub id: String,
    /// Author, title, date, location.
    pub citation: String,
}

/// One capacity of a drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapacityFacts {
    /// Capacity as sold.
    pub capacity: Written<Bytes>,
    /// Id of the source that states that the drive is sold with this capacity; one of the file's sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Certainty of that statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// What it is derived from, or what the reader must know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Figures of this capacity; they override the drive's figures.
    #[serde(default)]
    pub figures: Figures,
}

/// A drive facts file: one model of drive with its capacities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveFacts {
    /// Version of the format, 1.
    pub format: u32,
    /// Short name: lower-case letters, digits and single hyphens.
    pub name: String,
    /// Maker and model for display.
    pub title: String,
    /// The vendor.
    pub maker: String,
    /// What a reader must know about the drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The model strings that the file describes.
    pub models: Vec<ModelPattern>,
    /// Sources of the figures.
    pub sources: Vec<FactSource>,
    /// Figures that apply to every capacity.
    #[serde(default)]
    pub figures: Figures,
    /// Figures that differ between capacities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities: Vec<CapacityFacts>,
}

impl DriveFacts {
    /// How well a model string matches: literal characters of the strictest pattern that matches.
    #[must_use]
    pub fn fit(&self, model: &str) -> Option<usize> {
        self.models.iter().filter(|pattern| pattern.fits(model)).map(ModelPattern::literal).max()
    }

    /// The capacity for the size that a drive reports: the nearest one, within 2 %.
    #[must_use]
    pub fn capacity(&self, reported: Bytes) -> Option<&CapacityFacts> {
        let away = |one: &CapacityFacts| {
            let sold = one.capacity.value.as_f64();
            (sold - reported.as_f64()).abs() / sold
        };
        let near = self.capacities.iter().filter(|one| away(one) <= NEAR);
        near.min_by(|left, right| away(left).total_cmp(&away(right)))
    }

    /// The figures of the drive in this capacity: those of the capacity, otherwise those of the model.
    #[must_use]
    pub fn figures_at(&self, reported: Option<Bytes>) -> Figures {
        match reported.and_then(|bytes| self.capacity(bytes)) {
            Some(one) => one.figures.or(&self.figures),
            None => self.figures.clone(),
        }
    }
}

/// The schema of a file, JSON Schema draft 2020-12.
#[must_use]
pub fn schema() -> Schema {
    let mut schema = SchemaSettings::default().for_deserialize().into_generator().into_root_schema_for::<DriveFacts>();
    schema.insert("title".to_owned(), "drivelab drive facts".into());
    schema.insert("$id".to_owned(), "drivelab.drive-facts.v1".into());
    schema
}

#[cfg(test)]
mod tests;
