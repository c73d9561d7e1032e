//! The vocabulary of marks: the keys that say where values come from, beside parameters or inside one table.

use crate::vocabulary::shape::{Key, Kind, key};

/// Where values come from: allowed beside the parameters they are about.
pub(crate) static MARKS: &[Key] = &[
    key("source_of", Kind::Marks, "From parameter to the id of the source that states its value.").not_compared(),
    key("derived", Kind::Marks, "From parameter to how its value follows from what the source states.").not_compared(),
    key("approximation", Kind::Marks, "From parameter to the reason why its value is ours and not the source's.")
        .not_compared(),
];

/// Where the values of a table come from, said in that table.
pub(crate) const MARKS_HERE: &[Key] = &[
    key("source_of", Kind::MarksHere, "From key of this table to the id of the source that states its value.")
        .not_compared(),
    key("derived", Kind::MarksHere, "From key of this table to how its value follows from what a source states.")
        .not_compared(),
    key("approximation", Kind::MarksHere, "From key of this table to the reason why its value is ours.").not_compared(),
];
