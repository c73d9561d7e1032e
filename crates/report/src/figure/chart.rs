//! What a chart shows, independent of any charting library: panels that share an x axis, series of points with their
//! texts.
//!
//! web/src/data.ts mirrors these types, and web/src/options.ts turns them into a drawing. Every point has the text that
//! the table of the chart shows, so the page's script formats and computes nothing.

use serde::{Serialize, Serializer};

use crate::figure::table::{Cell, Column, Table};

/// Colours of the palette in web/src/page.css; the same thing has the same colour in every chart.
pub(crate) mod colour {
    /// Reads.
    pub(crate) const READ: u8 = 0;
    /// Writes.
    pub(crate) const WRITE: u8 = 1;
    /// Reads and writes together.
    pub(crate) const TOTAL: u8 = 2;
    /// Waiting arrivals, and anything else that is not an operation.
    pub(crate) const BACKLOG: u8 = 3;
    /// The slow end of reads.
    pub(crate) const READ_TAIL: u8 = 4;
    /// The slow end of writes.
    pub(crate) const WRITE_TAIL: u8 = 5;
    /// Trims.
    pub(crate) const TRIM: u8 = 6;
    /// Write-zeroes operations.
    pub(crate) const WRITE_ZEROES: u8 = 7;
    /// Flushes; dashed next to another series of this colour.
    pub(crate) const FLUSH: u8 = 3;
}

/// A point: x, y (`None` if there is no figure), the text of y, and the heading of its tooltip.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Point(
    #[serde(serialize_with = "short")] pub(crate) f64,
    #[serde(serialize_with = "short_or_none")] pub(crate) Option<f64>,
    pub(crate) String,
    #[serde(skip_serializing_if = "Option::is_none")] pub(crate) Option<String>,
);

/// Seven digits are far more than a screen can show, and keep the page small.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn short<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    rounded(*value).serialize(serializer)
}

fn short_or_none<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(rounded).serialize(serializer)
}

/// A line or a set of bars.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Series {
    /// Name in the legend; series of the same name in several panels are shown and hidden together.
    pub(crate) name: String,
    /// Name in the chart's table, where a column is narrow; empty for the same.
    #[serde(skip)]
    pub(crate) short: String,
    /// Index into the palette.
    pub(crate) colour: u8,
    /// Dashed line.
    pub(crate) dashed: bool,
    /// Hatched bars and a dotted line: figures that others published.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) hatched: bool,
    /// Not drawn until the reader asks for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) hidden: bool,
    /// Points in the order of x.
    pub(crate) points: Vec<Point>,
    /// x, lowest and highest round, if there were several rounds.
    pub(crate) ranges: Vec<(f64, f64, f64)>,
}

impl Series {
    pub(crate) fn new(name: &str, colour: u8) -> Self {
        Series {
            name: name.to_owned(),
            short: String::new(),
            colour,
            dashed: false,
            hatched: false,
            hidden: false,
            points: Vec::new(),
            ranges: Vec::new(),
        }
    }

    /// Whether anything can be drawn.
    pub(crate) fn has_figures(&self) -> bool {
        self.points.iter().any(|point| point.1.is_some())
    }
}

/// How a panel draws its series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PanelKind {
    /// Lines with markers.
    Line,
    /// Bars side by side.
    Bar,
    /// Horizontal bars, one for each label of the x axis, the first at the top.
    Rank,
}

/// What the title of a logarithmic axis says.
const LOGARITHMIC: &str = ", logarithmic";

/// A y axis, from zero, and what is drawn on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Panel {
    /// The quantity.
    pub(crate) title: String,
    /// Its unit.
    pub(crate) unit: String,
    /// Lines or bars.
    pub(crate) kind: PanelKind,
    /// Logarithmic y axis (to base 10) instead of one from zero.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) log: bool,
    /// What is drawn.
    pub(crate) series: Vec<Series>,
}

impl Panel {
    /// Lines with markers.
    pub(crate) fn lines(title: &str, unit: &str, series: Vec<Series>) -> Self {
        Panel { title: title.to_owned(), unit: unit.to_owned(), kind: PanelKind::Line, log: false, series }
    }

    /// Lines on a logarithmic axis, which its title says.
    pub(crate) fn log_lines(title: &str, unit: &str, series: Vec<Series>) -> Self {
        Panel { log: true, ..Panel::lines(&format!("{title}{LOGARITHMIC}"), unit, series) }
    }

    /// Bars side by side.
    pub(crate) fn bars(title: &str, unit: &str, series: Vec<Series>) -> Self {
        Panel { kind: PanelKind::Bar, ..Panel::lines(title, unit, series) }
    }

    /// Horizontal bars.
    pub(crate) fn ranking(title: &str, unit: &str, series: Vec<Series>) -> Self {
        Panel { kind: PanelKind::Rank, ..Panel::lines(title, unit, series) }
    }
}

/// How x is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scale {
    /// Categories; x is an index into the labels.
    Category,
    /// Logarithmic to base 2, with ticks at the measured values.
    Log2,
    /// Linear, from zero.
    Linear,
}

/// The x axis that all panels of a chart share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Axis {
    /// The quantity with its unit.
    pub(crate) title: String,
    /// Layout.
    pub(crate) scale: Scale,
    /// Labels of a category axis.
    pub(crate) labels: Vec<String>,
    /// Ticks of a numeric axis: the measured values; empty if the drawing may choose.
    pub(crate) ticks: Vec<f64>,
    /// End of a linear axis; 0 if the drawing may choose.
    pub(crate) end: f64,
}

impl Axis {
    /// From zero to `end`; if that is 0, the drawing chooses the end.
    pub(crate) fn linear(title: &str, end: f64) -> Self {
        Axis { title: title.to_owned(), scale: Scale::Linear, labels: Vec::new(), ticks: Vec::new(), end }
    }

    /// Categories; an empty title is not shown.
    pub(crate) fn named(title: &str, labels: Vec<String>) -> Self {
        Axis { title: title.to_owned(), scale: Scale::Category, labels, ticks: Vec::new(), end: 0.0 }
    }
}

/// A named section of the x axis.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Stretch {
    /// Start.
    pub(crate) from: f64,
    /// End.
    pub(crate) to: f64,
    /// Name.
    pub(crate) label: String,
}

/// A chart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Chart {
    /// Id of its element, unique in the page.
    pub(crate) id: String,
    /// Description for readers who cannot see the chart.
    pub(crate) description: String,
    /// The shared x axis.
    pub(crate) x: Axis,
    /// From top to bottom.
    pub(crate) panels: Vec<Panel>,
    /// Named sections of the x axis.
    pub(crate) stretches: Vec<Stretch>,
}

impl Chart {
    /// Drops series and panels without a figure; `None` if nothing is left to draw.
    pub(crate) fn drawable(mut self) -> Option<Self> {
        for panel in &mut self.panels {
            panel.series.retain(Series::has_figures);
        }
        self.panels.retain(|panel| !panel.series.is_empty());
        (!self.panels.is_empty()).then_some(self)
    }

    /// The figures of the chart: a row for each heading of its points, a column for each series of each panel.
    pub(crate) fn table(&self, caption: String, first: &str) -> Table {
        let all = || self.panels.iter().flat_map(|panel| panel.series.iter().map(move |series| (panel, series)));
        let mut headings: Vec<&str> = Vec::new();
        for heading in all().flat_map(|(_, series)| &series.points).filter_map(|point| point.3.as_deref()) {
            if !headings.contains(&heading) {
                headings.push(heading);
            }
        }
        let several = self.panels.len() > 1;
        let column = |(panel, series): (&Panel, &Series)| {
            let name = if series.short.is_empty() { &series.name } else { &series.short };
            let panel_title = panel.title.trim_end_matches(LOGARITHMIC);
            let title = if several { format!("{panel_title}: {name}") } else { name.clone() };
            Column::figures(&title, &panel.unit)
        };
        let cell = |heading: &str, panel: &Panel, series: &Series| {
            let point = series.points.iter().find(|point| point.3.as_deref() == Some(heading));
            let text = point.map_or("", |point| point.2.as_str());
            Cell::text(text.strip_suffix(panel.unit.as_str()).unwrap_or(text).trim_end())
        };
        let row = |heading: &&str| {
            let cells = all().map(|(panel, series)| cell(heading, panel, series));
            // A heading repeats the title of the axis.
            let row = heading.strip_prefix(first).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(heading);
            std::iter::once(Cell::text(row)).chain(cells).collect()
        };
        let columns = std::iter::once(Column::words(first)).chain(all().map(column)).collect();
        Table { caption, columns, rows: headings.iter().map(row).collect() }.without_empty_columns()
    }
}
