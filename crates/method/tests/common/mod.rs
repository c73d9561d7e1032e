//! What the tests of this crate share: the head of a methodology, its target, and its plans.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of it")]

use drivelab_core::plan::{Form, Plan};
use drivelab_core::units::Bytes;
use drivelab_method::{Methodology, SpeedGuess, TargetShape, expand, parse};

/// Name and texts, and two sources.
pub const HEAD: &str = r#"
format = 1
name = "example"
title = "Example"
version = "1.0.0"
summary = "A small methodology."
good_for = "Tests."
cannot_tell = "Anything else."
[[sources]]
id = "own"
citation = "our own choice"
[[sources]]
id = "paper"
citation = "a paper"
"#;

/// A target of 1 GiB; the table is left open.
pub const TARGET: &str = r#"
[target]
kind = "file_or_block"
size = "1 GiB"
minimum_size = "8 MiB"
"#;

/// The methodology of this text.
pub fn method(text: &str) -> Methodology {
    parse("example.toml", text).expect("a methodology")
}

/// A target of this many bytes with blocks of 512.
pub fn shape(capacity: Bytes) -> TargetShape {
    TargetShape { capacity, offset_align: Bytes::new(512), guess: SpeedGuess::default() }
}

/// The plan of a form on this many bytes.
pub fn plan(method: &Methodology, form: Form, capacity: Bytes) -> Plan {
    expand(method, form, &shape(capacity)).expect("a plan")
}
