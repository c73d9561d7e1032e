//! The methodology language: a TOML file becomes a checked methodology, and that a plan for one target and form.
//!
//! Owns: the vocabulary, errors that point into the file, expansion of axes, the estimate of time and bytes, the
//! built-in library, the JSON Schema. Must not know: devices (a target is a capacity and an alignment), running,
//! results. The language is described in docs/methodology-language.md.
#![forbid(unsafe_code)]

mod about;
mod around;
mod bursts;
mod check;
mod composite;
mod curve;
mod diagnose;
mod differ;
mod errors;
mod estimate;
mod expand;
mod files;
mod fit;
mod groups;
mod head;
mod include;
mod keys;
mod label;
mod layers;
mod leave;
pub mod library;
mod load;
mod markdown;
mod meaning;
mod means;
mod merge;
mod methodology;
mod near;
mod needs;
mod prepare;
mod profile;
mod rate;
mod repeats;
mod scalar;
mod schema;
mod scores;
mod search;
mod settings;
mod shape;
mod sizes;
mod step;
mod stop;
mod suite;
mod sweep;
mod target;
mod template;
mod text_file;
mod texts;
mod trace;
mod twin;
mod value;
mod values;
mod verified;
mod written;

pub use about::{AboutKind, Mark, Parameter, SuiteAbout, TestAbout, ValueInForm};
pub use diagnose::{Diagnostic, Diagnostics};
pub use differ::{Difference, differences};
pub use estimate::SpeedGuess;
pub use expand::{TargetShape, expand, expand_with};
pub use head::Head;
pub use markdown::overview;
pub use means::{Capability, Ground, Means};
pub use methodology::{Methodology, parse};
pub use profile::ProfileAbout;
pub use schema::json_schema;
pub use suite::{Part, nothing_left, parts};
pub use target::MethodTarget;
pub use template::{can_be_name, derived_text, new_text};
pub use text_file::{read_bytes, read_text};
pub use trace::TraceDeclared;
