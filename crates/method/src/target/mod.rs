//! What a methodology asks of what it runs on, and of what is around it.

pub(crate) mod conditions;
pub(crate) mod needs;
pub(crate) mod requires;
pub(crate) mod wanted;
