//! What heat does to the rate over minutes.

mod checks;
pub mod throttle;
mod values;
mod words;

pub(crate) use checks::HEAT;
pub(crate) use values::{
    heat_critical_limit, heat_critical_minutes, heat_first_minute, heat_kept, heat_last_minute, heat_throttle_steps,
    heat_time_to_throttle, heat_warning_limit, heat_warning_minutes,
};
