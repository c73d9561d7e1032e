//! What figures that are made of rates take over from them: that they are bounds, that others disturbed them.

use schemars::JsonSchema;
use serde::Serialize;

/// What is to be known of a figure that is made of rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Signs {
    /// It is at least this much: a rate that it rises with is a lower bound. With `at_most` too, neither is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// It is at most this much: a rate that it falls with is a lower bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_most: bool,
    /// Something beside the test disturbed a rate that it is made of: undisturbed it would differ.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub spoiled: bool,
}

impl Signs {
    /// Those of a figure that rises with this one and with another.
    #[must_use]
    pub const fn and(self, other: Signs) -> Signs {
        Signs {
            at_least: self.at_least || other.at_least,
            at_most: self.at_most || other.at_most,
            spoiled: self.spoiled || other.spoiled,
        }
    }

    /// Those of a figure that falls as this one rises.
    #[must_use]
    pub const fn turned(self) -> Signs {
        Signs { at_least: self.at_most, at_most: self.at_least, spoiled: self.spoiled }
    }
}
