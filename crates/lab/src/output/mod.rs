//! Files that are written for people: pages and reports, whole or not at all.

pub mod caller;
pub mod group;
pub mod new_file;
pub mod pages;
