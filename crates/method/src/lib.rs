//! The methodology language: a TOML file becomes a checked methodology, and that a plan for one target and form.
//!
//! Owns: the vocabulary, errors that point into the file, expansion of axes, the estimate of time and bytes, the
//! built-in library, the JSON Schema. Must not know: devices (a target is a capacity and an alignment), running,
//! results. The language is described in docs/methodology-language.md.
#![forbid(unsafe_code)]

mod check;
mod composite;
mod diagnose;
mod estimate;
mod expand;
mod fit;
mod groups;
mod keys;
mod label;
mod layers;
pub mod library;
mod load;
mod meaning;
mod methodology;
mod near;
mod prepare;
mod rate;
mod scalar;
mod schema;
mod search;
mod shape;
mod sizes;
mod step;
mod stop;
mod sweep;
mod value;
mod values;
mod verified;

pub use diagnose::{Diagnostic, Diagnostics};
pub use estimate::SpeedGuess;
pub use expand::{TargetShape, expand};
pub use methodology::{Methodology, parse};
pub use schema::json_schema;
