//! The keys of a test, for whoever states them in another way than in a file, such as the flags of `drivelab io`.

use crate::load::trace::ITS_OWN;
use crate::vocabulary::shape::{Key, Kind};
use crate::vocabulary::test::TEST;

/// What a key takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Takes {
    /// One of these words.
    Words(Vec<&'static str>),
    /// A whole number.
    Whole,
    /// `true` or `false`.
    Switch,
    /// A text that the language reads: a size, a time, a share, a rate.
    Text,
    /// A table with these keys.
    Table(Vec<TestKey>),
    /// A list, or several tables.
    List,
}

/// One key of a test, or of a table in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestKey {
    /// As written in a file.
    pub name: &'static str,
    /// What it means, with unit and default, as the schema describes it.
    pub meaning: &'static str,
    /// What it takes; of a key that may be a list, what each of its values is.
    pub takes: Takes,
    /// Whether a replayed trace has this itself, so that a load with a trace may not state it.
    pub traces_have: bool,
}

/// Every key that a test may have, in the order of the vocabulary.
pub fn test_keys() -> impl Iterator<Item = TestKey> {
    TEST.all().filter(|key| key.is_offered()).map(known)
}

fn known(key: &Key) -> TestKey {
    TestKey { name: key.name, meaning: key.meaning, takes: takes(&key.kind), traces_have: ITS_OWN.contains(&key.name) }
}

fn takes(kind: &Kind) -> Takes {
    match kind {
        Kind::Axis(one) => takes(one),
        Kind::OneOf(words) => {
            Takes::Words(words.iter().filter(|word| word.not_yet.is_none()).map(|word| word.name).collect())
        }
        Kind::Whole(..) | Kind::Format => Takes::Whole,
        Kind::Flag => Takes::Switch,
        Kind::Text
        | Kind::Name
        | Kind::Version
        | Kind::Size
        | Kind::SizeOrShare
        | Kind::Duration
        | Kind::Extent
        | Kind::Temperature
        | Kind::Share
        | Kind::AxisName
        | Kind::Rate
        | Kind::Decimal(..)
        | Kind::Hex
        | Kind::Path
        | Kind::Locality
        | Kind::Read(_) => Takes::Text,
        Kind::Table(shape) => Takes::Table(shape.all().filter(|key| key.is_offered()).map(known).collect()),
        Kind::ListOf(_) | Kind::RowOf(_) | Kind::Tables(_) | Kind::Marks | Kind::MarksHere | Kind::Elsewhere(_) => {
            Takes::List
        }
    }
}
