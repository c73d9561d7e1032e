//! Several runs side by side: comparable runs, the arms of one drive, several drives at once.

pub(crate) mod against;
pub(crate) mod arms;
pub(crate) mod asked;
pub(crate) mod bridges;
pub(crate) mod charts;
pub(crate) mod compare;
pub(crate) mod contrast;
pub(crate) mod group;
pub(crate) mod over_rounds;
pub(crate) mod published;
pub(crate) mod rank;
pub(crate) mod sides;
pub(crate) mod together;
