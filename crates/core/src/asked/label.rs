//! What the user says about a run, and nothing measures: a title, a note, tags, and conditions such as how the drive
//! was cooled.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the user says about a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Label {
    /// A title, for lists and comparisons; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// A note of any length; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Tags, in the order in which they were given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Conditions that the user states, by name: `cooling`, `heatsink`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, String>,
}

/// Nothing is said.
pub static NONE: Label =
    Label { title: String::new(), note: String::new(), tags: Vec::new(), conditions: BTreeMap::new() };

impl Label {
    /// Adds conditions; an empty text removes one.
    pub fn state(&mut self, conditions: &[(String, String)]) {
        for (name, text) in conditions {
            if text.is_empty() {
                self.conditions.remove(name);
            } else {
                self.conditions.insert(name.clone(), text.clone());
            }
        }
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == NONE
    }
}
