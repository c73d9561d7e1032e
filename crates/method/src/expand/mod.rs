//! From a methodology to the steps of a plan.

pub(crate) mod alone;
pub(crate) mod estimate;
pub(crate) mod file_steps;
pub(crate) mod headlines;
pub(crate) mod label;
pub(crate) mod leave;
pub(crate) mod limits;
pub(crate) mod one_test;
pub(crate) mod prepare;
pub(crate) mod repeats;
pub(crate) mod rounds;
pub(crate) mod scores;
pub(crate) mod smoke;
pub(crate) mod step;
pub(crate) mod stop;
pub(crate) mod sweep;
pub(crate) mod twin;
pub(crate) mod verified;
pub(crate) mod written;
