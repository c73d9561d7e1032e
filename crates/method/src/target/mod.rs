//! What a methodology needs from its target and from what is around it.

pub(crate) mod conditions;
pub(crate) mod needs;
pub(crate) mod requires;
pub(crate) mod wanted;
