//! One file per command: passes arguments to the crates that do the work, and returns an exit code.

pub mod check;
pub mod compare;
pub mod config;
pub mod doctor;
pub mod drives;
pub mod explain;
pub mod io;
pub mod measure;
pub mod methods;
pub mod publish;
pub mod replay;
pub mod results;
pub mod resume;
pub mod shell;
pub mod show;
pub mod testbed;
pub mod trace;
pub mod version;
pub mod watch;
pub mod wipe;
