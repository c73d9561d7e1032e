//! Whether the target gives back what was written: blocks that say what they are (`seal`), what is wrong with one
//! that does not say what it should (`check`), which write was the last to each block (`history`), what was found
//! (`findings`), and the two rules that a worker keeps so that there is an answer (`busy`).
//!
//! Pure and safe; no I/O. In the loop nothing here allocates. Costs and the idea of a content that needs no stored
//! data: research notes, engine, 3.4 and 4.2 "Verify".
//!
//! A write's generation is its stream's cursor plus one, and streams are pure functions of their cursors. So what each
//! block must hold follows from one integer per thread, also in another process after a restart: from the recorded
//! positions, or, where those were lost, from the newest blocks that are found on the target.

pub(crate) mod busy;
pub(crate) mod check;
pub(crate) mod findings;
pub(crate) mod history;
pub(crate) mod scan;
pub(crate) mod seal;
mod wraps;

#[cfg(test)]
mod tests;
