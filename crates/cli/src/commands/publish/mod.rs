//! What others read: reports of runs, and articles about them.

pub mod article;
pub mod report;
