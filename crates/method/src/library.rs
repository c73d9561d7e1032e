//! The built-in methodologies, as text: they go through the same parser as a file of the user's own.

use crate::near::nearest;

/// A methodology that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// The name on the command line; equal to the `name` in the text.
    pub name: &'static str,
    /// The TOML text.
    pub text: &'static str,
}

static ALL: &[BuiltIn] = &[BuiltIn { name: "quick", text: include_str!("../../../methods/quick.toml") }];

/// Every built-in methodology, in the order in which lists show them.
#[must_use]
pub fn all() -> &'static [BuiltIn] {
    ALL
}

/// The built-in methodology of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|built_in| built_in.name == name)
}

/// The name nearest to one that is unknown, where one is near enough to be what was meant.
#[must_use]
pub fn near(name: &str) -> Option<&'static str> {
    nearest(name, ALL.iter().map(|built_in| built_in.name))
}
