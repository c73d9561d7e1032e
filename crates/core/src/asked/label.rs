//! The user's description of a run: a title, a note, tags, and conditions that drivelab cannot detect, such as how the
//! drive was cooled.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The user's description of a run.
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

/// The label of a run without one.
pub static NONE: Label =
    Label { title: String::new(), note: String::new(), tags: Vec::new(), conditions: BTreeMap::new() };

impl Label {
    /// Adds tags that it does not have.
    pub fn add_tags(&mut self, tags: &[String]) {
        for tag in tags {
            if !self.tags.contains(tag) {
                self.tags.push(tag.clone());
            }
        }
    }

    /// Sets conditions; an empty text removes one.
    pub fn set_conditions(&mut self, conditions: &[(String, String)]) {
        for (name, text) in conditions {
            if text.is_empty() {
                self.conditions.remove(name);
            } else {
                self.conditions.insert(name.clone(), text.clone());
            }
        }
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == NONE
    }
}
