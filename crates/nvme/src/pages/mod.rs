//! The structures that a controller returns, one file each.

pub(crate) mod endurance_group;
pub(crate) mod error_log;
pub(crate) mod fdp;
pub(crate) mod features;
pub(crate) mod firmware_slots;
pub(crate) mod identify_abilities;
pub(crate) mod identify_controller;
pub(crate) mod identify_namespace;
pub(crate) mod namespace_list;
pub(crate) mod ocp;
pub(crate) mod power_measurement;
pub(crate) mod power_state;
pub(crate) mod registers;
pub(crate) mod sanitize;
pub(crate) mod security;
pub(crate) mod self_test;
pub(crate) mod smart;
pub(crate) mod supported_logs;
pub(crate) mod tcg;
