//! The words of drivelab as plain types, shared by every room of the house.
//!
//! Owns: units, workload, plan, events, records, metrics, findings, facts about target, drive and testbed, the run
//! clock, and the traits that let rooms meet without knowing each other ([`backend::Backend`],
//! [`listener::Listener`]). Must not know: files, TOML, terminals, threads, SQL, HTML.

pub mod backend;
pub mod ceilings;
pub mod clock;
pub mod condition;
pub mod content;
pub mod data_sheet;
pub mod drive_facts;
pub mod drive_state;
pub mod environment;
pub mod event;
pub mod excerpt;
pub mod exit;
pub mod files;
pub mod finding;
pub mod group;
pub mod histogram;
pub mod ids;
pub mod input;
pub mod listener;
pub mod load;
pub mod metric;
pub mod namespace;
pub mod places;
pub mod plan;
pub mod probe;
pub mod record;
mod redact;
pub mod relative;
pub mod replay;
pub mod run;
pub mod score;
pub mod tails;
pub mod target;
pub mod telemetry;
pub mod units;
pub mod watching_cost;
pub mod workload;
