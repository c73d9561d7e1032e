//! Which parameters of a load say the same thing in two ways, together, or nothing without another one.
//!
//! Names alone: what replaces what, and what is refused, follows from these lists in `layers`, `merge` and `meaning`.

/// Parameters of which only one may be stated in a table, since they say the same thing in two ways.
pub(crate) const EXCLUSIVE: [[&str; 2]; 7] = [
    ["op", "write_percent"],
    ["op", "trim_percent"],
    ["op", "write_zeroes_percent"],
    ["op", "flush_percent"],
    ["block_size", "block_size_mix"],
    ["rate", "think_time"],
    ["rest", "duty_cycle"],
];

/// Parameters that are one thing said with several keys: a table that states one of them replaces all of a weaker one.
const TOGETHER: [&[&str]; 5] = [
    &["op", "write_percent", "trim_percent", "write_zeroes_percent", "flush_percent"],
    &["block_size", "block_size_mix"],
    &["rate", "think_time"],
    &["time", "volume", "passes", "operations", "coverage"],
    &["rest", "duty_cycle"],
];

/// A parameter that says nothing without another one: that one, its word where it is about a single one, the detail.
pub(crate) const DETAILS: [(&str, Option<&str>, &str); 6] = [
    ("block_size_mix", None, "block_size_shares_of"),
    ("duty_cycle", None, "rest_cap"),
    ("data", Some("pattern"), "data_pattern"),
    ("data", Some("file"), "data_file"),
    ("replay", Some("scaled"), "replay_scale"),
    ("replay", Some("capped_idle"), "idle_cap"),
];

/// The parameters that are replaced together with this one, itself among them.
pub(crate) fn together(key: &str) -> Vec<&str> {
    TOGETHER.iter().find(|group| group.contains(&key)).map_or_else(|| vec![key], |group| group.to_vec())
}
