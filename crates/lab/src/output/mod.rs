//! Files written for people: pages and reports. A file is written completely or not at all.

pub mod caller;
pub mod group;
pub mod new_file;
pub mod pages;
