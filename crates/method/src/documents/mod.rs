//! What a methodology contains, for readers: pages, lists, the schema of the language, differences.

pub(crate) mod about;
pub(crate) mod around;
pub(crate) mod differ;
pub(crate) mod files;
pub(crate) mod keys;
pub(crate) mod markdown;
pub(crate) mod profiles;
pub(crate) mod schema;
pub(crate) mod scores;
pub(crate) mod stated;
pub(crate) mod template;
