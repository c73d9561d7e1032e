//! What connects the lab with a terminal: how results are shown, questions asked, signals handled.

pub mod checked;
pub mod foreign;
pub mod found;
pub mod group_pages;
pub mod method;
pub mod mistyped;
pub mod outcome;
pub mod question;
pub mod review;
pub mod run_ids;
pub mod signals;
pub mod terminal;
pub mod width;
