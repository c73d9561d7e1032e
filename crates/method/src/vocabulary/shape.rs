//! What the tables of the vocabulary are made of: words, kinds of values, keys, tables.
//!
//! Must not know: which words and keys there are.

/// The language version that this program reads.
pub(crate) const FORMAT: u64 = 1;

/// A word that a key accepts.
#[derive(Debug)]
pub(crate) struct Word {
    /// As written in the file.
    pub(crate) name: &'static str,
    /// What it means, one sentence.
    pub(crate) meaning: &'static str,
    /// Why this version cannot do it yet, where it cannot.
    pub(crate) not_yet: Option<&'static str>,
}

/// What a key accepts.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The number of the language version, `1`.
    Format,
    /// Text that is not empty.
    Text,
    /// A short name: lower-case letters, digits and single hyphens.
    Name,
    /// `major.minor.patch`.
    Version,
    /// Bytes as text with a unit.
    Size,
    /// Bytes as text with a unit, or a share of the target.
    SizeOrShare,
    /// Time as text with a unit.
    Duration,
    /// A whole number between two bounds.
    Whole(u64, u64),
    /// `true` or `false`.
    Flag,
    /// One of some words.
    OneOf(&'static [Word]),
    /// Part of the target: size, per cent, or both ends in a table.
    Extent,
    /// A temperature in degrees Celsius.
    Temperature,
    /// A whole share as text, from 1 % to 100 %.
    Share,
    /// The name of a parameter that may be a list, or `case`.
    AxisName,
    /// A list, not empty.
    ListOf(&'static Kind),
    /// One value, or a list of values where the table allows lists.
    Axis(&'static Kind),
    /// A table with these keys.
    Table(&'static Shape),
    /// An array of tables (`[[…]]`), not empty.
    Tables(&'static Shape),
    /// A table from parameter names to texts.
    Marks,
    /// Operations or bytes per second as text.
    Rate,
    /// A number with at most three decimals between two bounds in thousandths.
    Decimal(u64, u64),
    /// Bytes as hexadecimal digits.
    Hex,
    /// A file, relative to the folder of the methodology.
    Path,
    /// How random offsets are distributed: a word or a table.
    Locality,
    /// A text that something else reads, which gives the one way of writing it.
    Read(&'static Reading),
    /// A list, not empty, in which a value may stand more than once.
    RowOf(&'static Kind),
    /// A table from names of keys of the table around it to texts.
    MarksHere,
    /// Belongs to the table around this one: said here, it is refused with this reason.
    Elsewhere(&'static str),
}

/// A short name, for lists and axes of names.
pub(crate) static NAME: Kind = Kind::Name;

/// Who reads a text, and what messages and the schema say of it.
#[derive(Debug)]
pub(crate) struct Reading {
    /// What is expected: "an arm as text".
    pub(crate) what: &'static str,
    /// One that is right.
    pub(crate) example: &'static str,
    /// What editors hold it against, a regular expression; the reader is the judge.
    pub(crate) pattern: &'static str,
    /// The one way of writing it, or what is wrong.
    pub(crate) read: fn(&str) -> Result<String, String>,
}

/// One key of a table.
#[derive(Debug)]
pub(crate) struct Key {
    /// As written in the file.
    pub(crate) name: &'static str,
    /// What it accepts.
    pub(crate) kind: Kind,
    /// Whether the table must have it.
    pub(crate) required: bool,
    /// The key that may stand in the place of a required one.
    pub(crate) or: Option<&'static str>,
    /// What it means, with its unit and its default.
    pub(crate) meaning: &'static str,
    /// Whether it decides what is measured, so that runs that differ in it are not compared.
    pub(crate) compared: bool,
}

/// The keys of one kind of table.
#[derive(Debug)]
pub(crate) struct Shape {
    /// How messages call it: "a test".
    pub(crate) name: &'static str,
    /// Its keys, in groups that tables share.
    pub(crate) keys: &'static [&'static [Key]],
    /// Whether a parameter may be a list here, which makes it an axis.
    pub(crate) lists: bool,
}

impl Key {
    /// Whether a file may state it.
    pub(crate) const fn is_offered(&self) -> bool {
        !matches!(self.kind, Kind::Elsewhere(_))
    }

    /// For readers only: another value measures the same.
    pub(crate) const fn not_compared(self) -> Key {
        Key { compared: false, ..self }
    }
}

impl Shape {
    /// All keys of all groups.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static Key> {
        self.keys.iter().copied().flatten()
    }
}

pub(crate) const fn key(name: &'static str, kind: Kind, meaning: &'static str) -> Key {
    Key { name, kind, required: false, or: None, meaning, compared: true }
}

pub(crate) const fn must(name: &'static str, kind: Kind, meaning: &'static str) -> Key {
    Key { name, kind, required: true, or: None, meaning, compared: true }
}

/// A key that a table must have where it has no `or`.
pub(crate) const fn must_or(name: &'static str, or: &'static str, kind: Kind, meaning: &'static str) -> Key {
    Key { name, kind, required: true, or: Some(or), meaning, compared: true }
}

/// A key that stands in the table around this one, and why.
pub(crate) const fn elsewhere(name: &'static str, why: &'static str) -> Key {
    Key { name, kind: Kind::Elsewhere(why), required: false, or: None, meaning: why, compared: true }
}

pub(crate) const fn word(name: &'static str, meaning: &'static str) -> Word {
    Word { name, meaning, not_yet: None }
}

pub(crate) const fn later_word(name: &'static str, meaning: &'static str, why: &'static str) -> Word {
    Word { name, meaning, not_yet: Some(why) }
}
