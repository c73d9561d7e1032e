//! Block devices: finding them, the layers between them, their identities, and reading them.

pub(crate) mod block_use;
pub(crate) mod chain;
pub(crate) mod counters;
pub(crate) mod folders;
pub(crate) mod identify;
pub(crate) mod identity;
pub(crate) mod layers;
pub mod link;
pub(crate) mod named;
pub(crate) mod namespaces;
pub(crate) mod node;
pub(crate) mod nvme_node;
pub(crate) mod placement;
pub(crate) mod readable;
pub(crate) mod samples;
