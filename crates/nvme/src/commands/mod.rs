//! What drivelab sends, how it reaches a controller, and what comes back.

pub(crate) mod bar;
pub(crate) mod command;
pub(crate) mod controller;
pub(crate) mod device_node;
pub(crate) mod ioctl;
pub(crate) mod permit;
pub(crate) mod placed_write;
pub(crate) mod recorded;
pub(crate) mod status;
pub(crate) mod transport;
