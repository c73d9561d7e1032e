//! The page's script and style sheet, which build.rs bundles from web/.

/// The script: charts, copy buttons, download.
pub(crate) const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page.js"));
/// The style sheet.
pub(crate) const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.css"));
