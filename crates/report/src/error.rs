//! Why a report could not be made.

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Nothing to report on.
    #[error("there is no run to report on; name at least one")]
    NoRun,
    /// Nothing was measured that could be shown.
    #[error("the run measured no load that could be shown")]
    NoLoad,
    /// The layout belongs to another methodology.
    #[error(
        "the layout of CrystalDiskMark is only for runs of the methodology 'crystaldiskmark'; this run is of '{0}', whose \
         figures have another meaning; use another format"
    )]
    NotCrystalDiskMark(String),
    /// The runs were not measured together.
    #[error("none of these runs was measured together with others; `drivelab report RUN` reports on a single run")]
    NoGroup,
    /// The page template failed.
    #[error("the page could not be created: {0}")]
    Page(#[from] askama::Error),
    /// The results could not be written as JSON.
    #[error("the results could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The results could not be written as CSV.
    #[error("the results could not be written as CSV: {0}")]
    Csv(#[from] ::csv::Error),
}
