//! What is shown of a run, the same in every format: its tests, the run itself, several runs beside each other.

pub(crate) mod across;
pub(crate) mod run;
pub(crate) mod test;
pub(crate) mod time_line;
