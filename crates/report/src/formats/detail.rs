//! Level of detail of a page: a page stays small by thinning what is embedded in it, step by step.
//!
//! Figures and findings are never thinned, only the curves over time, the copy of the results document, and tables that
//! repeat others. The last cut of that copy is the metrics of measurement overhead, which the page has as a table. The
//! page and the copy state what is left out.

/// Most bytes of a page: it should open fast and be small enough for an attachment.
pub(crate) const PAGE_LIMIT: usize = 2_000_000;
/// Most bytes of a page at the finest levels. This is well below the limit, and few runs need more.
const COMFORTABLE: usize = 1_150_000;
/// Beyond this the next coarser level is tried; a little below the limit, to leave room for the sentences about cuts.
const MOST: usize = PAGE_LIMIT - 50_000;

/// One level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detail {
    /// Most points of a curve over time.
    pub(crate) points: usize,
    /// How many of the cuts of `documents::results::CUTS` the embedded results document takes.
    pub(crate) cuts: usize,
    /// Size in bytes up to which a page of this level is accepted.
    pub(crate) most: usize,
}

const fn detail(points: usize, cuts: usize, most: usize) -> Detail {
    Detail { points, cuts, most }
}

impl Detail {
    /// Everything that a screen can show.
    pub(crate) const FINEST: Detail = detail(400, 0, COMFORTABLE);

    /// As small as a page can be without losing a figure.
    pub(crate) const COARSEST: Detail = detail(14, 8, usize::MAX);

    /// From the finest to the coarsest. The last one is accepted at any size.
    pub(crate) const LADDER: [Detail; 11] = [
        Detail::FINEST,
        detail(400, 1, COMFORTABLE),
        detail(400, 2, COMFORTABLE),
        detail(400, 3, COMFORTABLE),
        detail(400, 4, MOST),
        detail(200, 4, MOST),
        detail(100, 4, MOST),
        detail(100, 5, MOST),
        detail(60, 6, MOST),
        detail(60, 7, MOST),
        Detail::COARSEST,
    ];

    /// Whether the charts of a comparison have no tables of their own: its main tables have the same figures.
    pub(crate) const fn drops_tables_of_charts(self) -> bool {
        self.cuts == Detail::COARSEST.cuts
    }

    /// Whether curves have fewer points than a screen could show.
    pub(crate) const fn thins_curves(self) -> bool {
        self.points < Detail::FINEST.points
    }
}
