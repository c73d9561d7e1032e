//! The page's script and style sheet, which build.rs bundles from web/.

/// The script: charts, copy buttons, download.
pub(crate) const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page.js"));
/// The style sheet.
pub(crate) const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.css"));
/// The script that draws the same charts outside a browser: it defines a function `drawSvg(chart)`, from the JSON of a
/// chart to SVG text.
pub const OUTSIDE: &str = include_str!(concat!(env!("OUT_DIR"), "/outside.js"));
