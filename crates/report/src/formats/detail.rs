//! How finely a page shows its runs: a page stays small by thinning what is embedded in it, coarsest last.
//!
//! Figures, findings and tables of figures are never thinned: only the curves over time and the copy of the results
//! document (from which, last of all, the engine's account of its own work is left out: the page has it as a table).
//! What is left out is named in the page and in that copy.

/// Bytes that a page should stay below: it has to open fast and go as an attachment.
pub(crate) const PAGE_LIMIT: usize = 2_000_000;
/// Up to here the finest records stay in the page; it leaves room below the limit, and a run seldom needs more.
const COMFORTABLE: usize = 1_150_000;
/// Beyond this the next coarser detail is tried; a little below the limit, for the sentences that name what was cut.
const MOST: usize = PAGE_LIMIT - 50_000;

/// One step of thinning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detail {
    /// Most points of a curve over time.
    pub(crate) points: usize,
    /// How many of the cuts of `documents::results::CUTS` the embedded results document takes.
    pub(crate) cuts: usize,
    /// Size in bytes up to which a page of this detail is taken.
    pub(crate) most: usize,
}

const fn detail(points: usize, cuts: usize, most: usize) -> Detail {
    Detail { points, cuts, most }
}

impl Detail {
    /// Everything that can be told apart on a screen.
    pub(crate) const FINEST: Detail = detail(400, 0, COMFORTABLE);

    /// As small as a page can be without losing a figure.
    pub(crate) const COARSEST: Detail = detail(25, 7, usize::MAX);

    /// From the finest to the coarsest. The last one is taken whatever its size.
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

    /// Whether curves have fewer points than a screen could show.
    pub(crate) const fn thins_curves(self) -> bool {
        self.points < Detail::FINEST.points
    }
}
