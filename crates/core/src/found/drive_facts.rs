//! What no probe tells about a drive: data-sheet figures, cell type, endurance, warranty, price, each with its source.
//!
//! Owns the words and the shape of a drive facts file, how a file says which models it is about, and which capacity's
//! figures hold. Must not know: where files lie and how TOML is read (`device::drive_facts`). Unknown stays absent: no
//! figure here is a guess, and each says how sure it is.

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

/// How far a capacity that the drive reports may be from the one in the file, as a share: what is sold as 256 GB holds
/// 256.06 GB, 1 TB 1.0002 TB, and 1,024 GB is also called 1 TiB.
const NEAR: f64 = 0.02;

/// How sure a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The source says so in so many words.
    Stated,
    /// It follows from what the source says.
    Derived,
    /// The source's author measured it; the maker promises nothing.
    Measured,
    /// The source rounds, or says "about".
    Approximate,
    /// It is common knowledge or somebody's remark, and nobody checked it.
    Unverified,
}

impl Certainty {
    /// As in the file.
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

/// A value with where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Value")]
pub struct Figure<T> {
    /// The value, text with its unit.
    pub value: Written<T>,
    /// Id of the source, one of the file's sources.
    pub source: String,
    /// How sure it is.
    pub certainty: Certainty,
    /// Under which conditions it holds, or what the reader must know.
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
                    "description": "Under which conditions it holds, or what the reader must know." },
            },
        })
    }
}

/// A figure as a row of a table: its name and its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    /// The key in the file.
    pub key: &'static str,
    /// What it is called for people.
    pub label: &'static str,
    /// The value as written, with its unit.
    pub text: &'a str,
    /// In the base unit, where it is one number.
    pub number: Option<f64>,
    /// The base unit; empty where there is none.
    pub unit: &'static str,
    /// Id of the source.
    pub source: &'a str,
    /// How sure it is.
    pub certainty: Certainty,
    /// Conditions.
    pub note: Option<&'a str>,
}

/// The figures, one definition each: key, kind and what people call it.
macro_rules! figures {
    ($($(#[$doc:meta])* $key:ident: $type:ty, $label:literal;)+) => {
        /// Figures of a drive, or of one capacity of it. What is not known is absent.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct Figures {
            $($(#[$doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $key: Option<Figure<$type>>,)+
        }

        impl Figures {
            /// What is known, in a fixed order.
            #[must_use]
            pub fn rows(&self) -> Vec<Row<'_>> {
                let mut rows = Vec::new();
                $(rows.extend(self.$key.as_ref().map(|figure| row(stringify!($key), $label, figure)));)+
                rows
            }

            /// These figures, and where one is absent that of `other`.
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
    /// Sequential reads at their fastest; the note says block size and queue depth where the source does.
    sequential_read: Speed, "Sequential read";
    /// Sequential writes at their fastest.
    sequential_write: Speed, "Sequential write";
    /// Random reads at their fastest, 4 KiB unless the note says else.
    random_read: Iops, "Random read";
    /// Random writes at their fastest, 4 KiB unless the note says else.
    random_write: Iops, "Random write";
    /// Time of one read.
    read_latency: Nanos, "Read latency";
    /// Time of one write.
    write_latency: Nanos, "Write latency";
    /// What fits in the part of the flash that is written with one bit per cell.
    slc_cache: Bytes, "SLC cache";
    /// Power while working.
    power_active: Watts, "Power, active";
    /// Power while idle.
    power_idle: Watts, "Power, idle";
    /// Supply voltage.
    supply: Words, "Supply";
    /// Bits per cell.
    cell: Cell, "Cell type";
    /// Maker, generation and layers of the flash.
    nand: Words, "NAND";
    /// Maker and model of the controller.
    controller: Words, "Controller";
    /// Memory of the controller.
    dram: Words, "DRAM";
    /// Bytes that the maker lets be written (TBW).
    endurance: Bytes, "Endurance (TBW)";
    /// Drive writes per day that the maker lets be written, over the warranty.
    dwpd: DriveWrites, "Drive writes per day";
    /// Length of the warranty.
    warranty: Years, "Warranty";
    /// Mean time to failure.
    mttf: Hours, "MTTF";
    /// Unreadable bits per bit read.
    uber: BitErrors, "Unreadable bits";
    /// Share of drives that fail in a year.
    afr: Share, "Failures per year";
    /// M.2 2280, U.2, E1.S and so on.
    form_factor: Words, "Form factor";
    /// Width, length, height.
    dimensions: Dimensions, "Dimensions";
    /// Bus, generation and lanes.
    interface: Words, "Interface";
    /// Version of NVMe or ATA.
    protocol: Words, "Protocol";
    /// Temperature around the drive while it works.
    ambient: CelsiusRange, "Ambient, working";
    /// Temperature around the drive while it does not.
    ambient_stored: CelsiusRange, "Ambient, stored";
    /// Whether it is sold with a heat sink.
    heat_sink: YesNo, "Heat sink";
    /// Which version of TCG Opal it has, or other security abilities.
    security: Words, "Security";
    /// Whether it has IEEE 1667, which hardware BitLocker asks for.
    ieee1667: YesNo, "IEEE 1667";
    /// Whether it has flexible data placement.
    fdp: YesNo, "FDP";
    /// Price on a day.
    price: Price, "Price";
}

/// Which model strings the file is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelPattern {
    /// The model string as the drive reports it, with `*` for any text and `#` for a whole number. Case, and whether
    /// words are parted by spaces or underscores, does not count.
    pub pattern: String,
    /// Id of the source.
    pub source: String,
    /// How sure it is.
    pub certainty: Certainty,
}

impl ModelPattern {
    /// Whether a model string fits.
    #[must_use]
    pub fn fits(&self, model: &str) -> bool {
        let pattern: Vec<char> = plain_model(&self.pattern).chars().collect();
        let model: Vec<char> = plain_model(model).chars().collect();
        fits(&pattern, &model)
    }

    /// Signs that must be there as they are: of two patterns that fit, the one with more of them is meant.
    #[must_use]
    pub fn literal(&self) -> usize {
        plain_model(&self.pattern).chars().filter(|sign| !matches!(sign, '*' | '#')).count()
    }
}

/// Lower case, one space between words.
fn plain_model(model: &str) -> String {
    let words: Vec<String> =
        model.split(|sign: char| sign.is_whitespace() || sign == '_').map(str::to_lowercase).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Which prefixes of the text the pattern so far can stand for, sign by sign: time is pattern times text, whatever both
/// are.
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

/// Where figures come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FactSource {
    /// Short name, used by the figures; the reviews that drivelab is made for are 000 to 004.
    pub id: String,
    /// Author, title, date, where.
    pub citation: String,
}

/// One capacity of a drive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapacityFacts {
    /// As sold.
    pub capacity: Written<Bytes>,
    /// Id of the source that says that the drive is sold in it, one of the file's sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How sure that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<Certainty>,
    /// What it follows from, or what the reader must know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What holds for this capacity; it stands over the drive's figures.
    #[serde(default)]
    pub figures: Figures,
}

/// A drive facts file: one model of drive in its capacities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveFacts {
    /// Version of the format, 1.
    pub format: u32,
    /// Short name: lower-case letters, digits and single hyphens.
    pub name: String,
    /// Maker and model for people.
    pub title: String,
    /// Who makes it.
    pub maker: String,
    /// What a reader must know about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Which model strings it is about.
    pub models: Vec<ModelPattern>,
    /// Where the figures come from.
    pub sources: Vec<FactSource>,
    /// What holds for every capacity.
    #[serde(default)]
    pub figures: Figures,
    /// What differs between capacities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capacities: Vec<CapacityFacts>,
}

impl DriveFacts {
    /// How well a model string fits: signs of the strictest pattern that does.
    #[must_use]
    pub fn fit(&self, model: &str) -> Option<usize> {
        self.models.iter().filter(|pattern| pattern.fits(model)).map(ModelPattern::literal).max()
    }

    /// The capacity that is meant by what a drive reports: the nearest, within 2 %.
    #[must_use]
    pub fn capacity(&self, reported: Bytes) -> Option<&CapacityFacts> {
        let away = |one: &CapacityFacts| {
            let sold = one.capacity.value.as_f64();
            (sold - reported.as_f64()).abs() / sold
        };
        let near = self.capacities.iter().filter(|one| away(one) <= NEAR);
        near.min_by(|left, right| away(left).total_cmp(&away(right)))
    }

    /// What is known of the drive in this capacity: its own figures, and those of the model where it has none.
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
