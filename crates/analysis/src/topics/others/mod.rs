//! What others did on the devices of the target while it was measured.

mod checks;
mod passed;

pub(crate) use checks::{not_judged_below, others, perhaps_others, writes_not_judged};
