//! Checks whether the target returns what was written: headers that identify blocks (`seal`), what is wrong with a
//! block that differs from what is expected (`check`), which write was the last to each block (`history`), what was
//! found (`findings`), and two rules for workers, without which the last write would be unknown (`busy`).
//!
//! Pure and safe; no I/O. Nothing here allocates inside the loop. Costs, and the idea of content that needs no stored
//! data: research notes, engine, 3.4 and 4.2 "Verify".
//!
//! A write's generation is its stream's cursor plus one, and streams are pure functions of their cursors. So one
//! integer per thread determines what each block must hold, also in another process after a restart. The integer
//! comes from the recorded positions or, if those were lost, from the newest blocks found on the target.

pub(crate) mod busy;
pub(crate) mod check;
pub(crate) mod findings;
pub(crate) mod history;
pub(crate) mod scan;
pub(crate) mod seal;
mod wraps;

#[cfg(test)]
mod tests;
