//! What every format shows: the tests of a run, the run itself, several runs side by side.

pub(crate) mod across;
pub(crate) mod run;
pub(crate) mod test;
pub(crate) mod time_line;
