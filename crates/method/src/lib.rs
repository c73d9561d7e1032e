//! The methodology language: turns a TOML file into a checked methodology, and that into a plan for one target and
//! form.
//!
//! Owns: the vocabulary, errors that point into the file, expansion of axes, the estimate of time and bytes, the
//! built-in library, the JSON Schema. Must not know: devices (a target is a capacity and an alignment), running,
//! results. The language is described in docs/methodology-language.md.
#![forbid(unsafe_code)]

mod documents;
mod expand;
mod layers;
mod load;
mod methodology;
mod parse;
mod plan;
mod scope;
mod sources;
mod suite;
mod target;
mod tree;
mod values;
mod vocabulary;

pub use documents::about::{AboutKind, Parameter, SuiteAbout, TestAbout, ValueInForm};
pub use documents::differ::{Difference, differences};
pub use documents::keys::{Takes, TestKey, test_keys};
pub use documents::markdown::overview;
pub use documents::profiles::ProfileAbout;
pub use documents::schema::json_schema;
pub use documents::template::{can_be_name, derived_text, new_text};
pub use expand::limits::lacks_figure;
pub use methodology::Methodology;
pub use parse::head::Head;
pub use parse::read::parse;
pub use plan::{expand, expand_with};
pub use scope::SpeedGuess;
pub use scope::TargetShape;
pub use sources::library;
pub use sources::text_file::{read_bytes, read_text};
pub use sources::traces::TraceDeclared;
pub use suite::nothing::nothing_left;
pub use suite::parts::{Part, parts};
pub use target::requires::{Capability, Ground, Means};
pub use target::wanted::MethodTarget;
pub use tree::diagnose::Diagnostics;
pub use tree::diagnostic::Diagnostic;
pub use tree::marks::Mark;
