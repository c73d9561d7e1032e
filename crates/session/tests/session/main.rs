//! Tests of the session, a file for each subject; shared code is in `common`.

mod common;
mod cooling;
mod curve;
mod find_rate;
mod group;
mod ledger;
mod preparation;
mod promises;
