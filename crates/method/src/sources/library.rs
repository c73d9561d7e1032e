//! The built-in methodologies, as text: they go through the same parser as a user's own file.

use crate::tree::near::nearest;

/// A methodology that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// The name on the command line; equal to the `name` in the text.
    pub name: &'static str,
    /// The TOML text.
    pub text: &'static str,
}

static ALL: &[BuiltIn] = &[
    BuiltIn { name: "quick", text: include_str!("../../../../methods/quick.toml") },
    BuiltIn { name: "anandtech-2018", text: include_str!("../../../../methods/anandtech-2018.toml") },
    BuiltIn { name: "anandtech-2021", text: include_str!("../../../../methods/anandtech-2021.toml") },
    BuiltIn { name: "crystaldiskmark", text: include_str!("../../../../methods/crystaldiskmark.toml") },
    BuiltIn { name: "encryption-cost", text: include_str!("../../../../methods/encryption-cost.toml") },
    BuiltIn { name: "gpu-feed", text: include_str!("../../../../methods/gpu-feed.toml") },
    BuiltIn { name: "all-aboard", text: include_str!("../../../../methods/all-aboard.toml") },
    BuiltIn { name: "capacity-scaling", text: include_str!("../../../../methods/capacity-scaling.toml") },
    BuiltIn { name: "power-states", text: include_str!("../../../../methods/power-states.toml") },
    BuiltIn { name: "application-traces", text: include_str!("../../../../methods/application-traces.toml") },
    BuiltIn { name: "four-corners", text: include_str!("../../../../methods/four-corners.toml") },
    BuiltIn { name: "load-curves", text: include_str!("../../../../methods/load-curves.toml") },
    BuiltIn { name: "heat-soak", text: include_str!("../../../../methods/heat-soak.toml") },
    BuiltIn { name: "file-transfer", text: include_str!("../../../../methods/file-transfer.toml") },
    BuiltIn { name: "as-ssd", text: include_str!("../../../../methods/as-ssd.toml") },
    BuiltIn { name: "random-read-sweep", text: include_str!("../../../../methods/random-read-sweep.toml") },
    BuiltIn { name: "snia-pts", text: include_str!("../../../../methods/snia-pts.toml") },
    BuiltIn { name: "write-amplification", text: include_str!("../../../../methods/write-amplification.toml") },
    BuiltIn { name: "disk-fill", text: include_str!("../../../../methods/disk-fill.toml") },
    BuiltIn { name: "check", text: include_str!("../../../../methods/check.toml") },
    BuiltIn { name: "data-sheet", text: include_str!("../../../../methods/data-sheet.toml") },
    BuiltIn { name: "genuine", text: include_str!("../../../../methods/genuine.toml") },
    BuiltIn { name: "review", text: include_str!("../../../../methods/review.toml") },
];

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

/// The built-in name nearest to an unknown one, if one is near enough to be meant.
#[must_use]
pub fn near(name: &str) -> Option<&'static str> {
    nearest(name, ALL.iter().map(|built_in| built_in.name))
}
