//! Several methodologies as one plan: which of their tests stay, and under which names.

pub(crate) mod choose;
pub(crate) mod fitting;
pub(crate) mod names;
pub(crate) mod nothing;
pub(crate) mod parts;
pub(crate) mod taking;
pub(crate) mod unit;
