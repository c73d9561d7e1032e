//! One quantity of a published test, with what each drive has of it.

use drivelab_analysis::metric_def;
use drivelab_core::metric::Better;
use drivelab_core::published::PublishedFigure;

use crate::views::across::published::readings::Readings;

/// One quantity of a published test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row<'p> {
    /// The first figure of it, which has its load.
    pub(crate) figure: &'p PublishedFigure,
    /// What was measured.
    pub(crate) test: &'p str,
    /// Which of several figures of the test it is.
    pub(crate) which: Option<&'p str>,
    /// Id of the metric.
    pub(crate) metric: &'p str,
    /// Its title.
    pub(crate) title: &'p str,
    /// Unit of the values.
    pub(crate) unit: &'p str,
    /// Which direction is better.
    pub(crate) better: Better,
    /// What each side has of it.
    pub(crate) cells: Vec<Option<Readings<'p>>>,
}

impl<'p> Row<'p> {
    /// A row for this figure, without cells.
    pub(super) fn of(figure: &'p PublishedFigure) -> Row<'p> {
        let def = metric_def(&figure.metric);
        Row {
            figure,
            test: &figure.test,
            which: figure.which.as_deref(),
            metric: &figure.metric,
            title: def.map_or(&figure.metric, |def| def.title),
            unit: def.map_or(&figure.unit, |def| def.unit),
            better: def.map_or(Better::Neutral, |def| def.better),
            cells: Vec::new(),
        }
    }

    /// Whether a figure is of the same test, quantity and load.
    pub(super) fn is_of(&self, figure: &PublishedFigure) -> bool {
        let load = |one: &PublishedFigure| {
            let names = [&one.op, &one.pattern, &one.block_size].map(Clone::clone);
            (names, one.queue_depth, one.threads)
        };
        let same = self.test == figure.test && self.metric == figure.metric && self.which == figure.which.as_deref();
        same && load(self.figure) == load(figure)
    }
}
