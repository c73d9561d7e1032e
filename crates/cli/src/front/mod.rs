//! The front of the lab on a terminal: how results are shown, questions asked, signals heard.

pub mod checked;
pub mod found;
pub mod group_pages;
pub mod method;
pub mod outcome;
pub mod question;
pub mod review;
pub mod signals;
pub mod terminal;
pub mod width;
