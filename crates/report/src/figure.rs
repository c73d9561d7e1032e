//! The vocabulary of drawing: tables, charts, cells, quantities, number formats, wrapping and escaping.
//!
//! A leaf module: the rest of this crate may use it, and it uses nothing of the rest.

pub(crate) mod axes;
pub(crate) mod cells;
pub(crate) mod chart;
pub(crate) mod escape;
pub mod format;
pub(crate) mod input;
pub(crate) mod marks;
pub(crate) mod op;
pub(crate) mod pairs;
pub(crate) mod prose;
pub(crate) mod quantity;
pub(crate) mod rates;
pub(crate) mod signs;
pub(crate) mod table;
pub(crate) mod wrap;

use crate::figure::chart::Chart;
use crate::figure::table::Table;

/// A chart with the table of the same figures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// Title.
    pub(crate) title: String,
    /// Explanation for the reader.
    pub(crate) caption: String,
    /// The chart; `None` if there is nothing to draw.
    pub(crate) chart: Option<Chart>,
    /// The table.
    pub(crate) table: Table,
    /// The table is long: a page scrolls it, and print leaves it out.
    pub(crate) long: bool,
}

/// A measured test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TestView {
    /// Anchor, unique in the page.
    pub(crate) id: String,
    /// Title.
    pub(crate) title: String,
    /// What the test asks.
    pub(crate) purpose: String,
    /// Charts and tables.
    pub(crate) figures: Vec<Figure>,
}
