//! Plain types shared by all crates of drivelab.
//!
//! Owns: units, workload, plan, events, records, metrics, findings, facts about target, drive and testbed, the run
//! clock, and the traits that connect crates without a dependency between them ([`backend::Backend`],
//! [`listener::Listener`]). Must not know: files, TOML, terminals, threads, SQL, HTML.

mod asked;
mod base;
mod found;
mod happened;
mod seams;

use asked::span;
pub use asked::{acceptance, condition, files, group, label, load, places, plan, relative, replay, score, workload};
use base::redact;
pub use base::{clock, excerpt, exit, ids, input, units, wall, words};
pub use found::{
    ceilings, content, data_sheet, drive_facts, environment, namespace, probe, published, verdict_rules, watching_cost,
};
pub use happened::{drive_state, event, finding, histogram, metric, record, run, tails, telemetry, truth};
pub use seams::{backend, listener, target};
