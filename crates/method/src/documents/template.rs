//! A template for a new methodology: a commented file that passes the checks.

use std::fmt::Write as _;

use crate::methodology::Methodology;
use crate::tree::scalar::is_name;

/// Whether a text can be the name of a methodology.
#[must_use]
pub fn can_be_name(text: &str) -> bool {
    is_name(text)
}

/// The text of a new methodology with this name.
#[must_use]
pub fn new_text(name: &str) -> String {
    NEW.replace("NAME", name)
}

/// The text of a new methodology that is derived from another one. `method` is how its file names the other one.
#[must_use]
pub fn derived_text(name: &str, method: &str, base: &Methodology) -> String {
    let mut text = DERIVED
        .replace("NAME", name)
        .replace("TITLE", base.title())
        .replace("BASE", &toml::Value::from(method).to_string());
    for test in base.tests().iter().filter(|test| test.is_test()) {
        let _ = write!(text, "#\n# {}\n# [[tests]]\n# name = \"{}\"\n", test.title, test.name);
        for parameter in test.parameters.iter().filter(|one| one.part.is_none()) {
            let value = parameter.forms.first().and_then(|form| form.value.as_deref());
            let _ = value.map(|value| writeln!(text, "#   {} is {}", parameter.name, value.replace('\n', " ")));
        }
    }
    text
}

const DERIVED: &str = r#"# A methodology derived from another one ("TITLE"). The language: docs/methodology-language.md.
#
#   drivelab methods check NAME.toml      says what is wrong, and where
#   drivelab methods plan NAME.toml .     the steps, with time and bytes
#   drivelab methods diff BASE NAME.toml  in what it differs
#   drivelab run NAME.toml .              runs it
format = 1
name = "NAME"
# Raise it with every change: results are compared by name, version and hash.
version = "0.1.0"

# Everything comes from there; what this file states replaces it key by key.
[include]
method = BASE
# drop_tests = ["name-of-a-test"]

# What may be stated: title, summary, good_for, cannot_tell; [target], [defaults], [forms.quick] and [forms.faithful]
# key by key; [[prepare]] as a whole. A [[tests]] entry with the name of an included test replaces its keys, one with a
# new name is added. The included tests, and what they state:
"#;

const NEW: &str = r#"# A methodology of your own. The language: docs/methodology-language.md, loads by example: docs/loads.md.
#
#   drivelab methods check NAME.toml   says what is wrong, and where
#   drivelab methods plan NAME.toml .  the steps, with time and bytes
#   drivelab run NAME.toml .           runs it
format = 1
name = "NAME"
title = "NAME"
# Raise it with every change: results are compared by name, version and hash.
version = "0.1.0"
summary = "Fills a file and reads it in small blocks at three queue depths."
good_for = "Showing how much a drive gains from a higher queue depth."
cannot_tell = "Anything about writes."

# Where the values come from; each test names at least one source.
[[sources]]
id = "own"
citation = "our own choice"

# What it runs on: "file", "file_or_block" (`size` of either), or "block_device" with size = "100 %" for all of it.
[target]
kind = "file_or_block"
size = "1 GiB"
minimum_size = "64 MiB"

# Holds for every test that does not state its own.
[defaults]
threads = 1
seed = 1

# The forms in which it exists: [forms.faithful] as published, [forms.quick] shortened. A form may state values that
# replace those of the tests.
[forms.quick]

# Reads need blocks that were written: of a file that was never written they come from holes, not from the drive.
[[prepare]]
action = "fill"

# A list is an axis: this test has three steps. Several lists need `axes = [...]`, outermost first.
[[tests]]
name = "depths"
title = "Random reads"
purpose = "How many operations must be in flight to keep the drive busy?"
sources = ["own"]
op = "read"
pattern = "random"
block_size = "4 KiB"
queue_depth = [1, 8, 64]
time = "10 s"
ramp = "1 s"

# Marks say where a value comes from: source_of = { key = "source" }, derived = { key = "how it follows" },
# approximation = { key = "why it is ours" }.
[tests.approximation]
ramp = "the first second is left out, so that a cold start does not count"
"#;
