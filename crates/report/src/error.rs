//! Why a report could not be made.

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Nothing to report on.
    #[error("there is no run to report on; name at least one")]
    NoRun,
    /// Nothing was measured that could be shown.
    #[error("the run has no measured load; it cannot be shown as one")]
    NoLoad,
    /// The layout belongs to another methodology.
    #[error(
        "the layout of CrystalDiskMark is for runs of the methodology 'crystaldiskmark', and this one is of '{0}', whose \
         figures mean something else; take another format"
    )]
    NotCrystalDiskMark(String),
    /// The runs were not measured together.
    #[error("none of these runs was measured together with others; `drivelab report RUN` shows each by itself")]
    NoGroup,
    /// The page template failed.
    #[error("the page could not be put together: {0}")]
    Page(#[from] askama::Error),
    /// The results could not be written as JSON.
    #[error("the results could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The results could not be written as CSV.
    #[error("the results could not be written as CSV: {0}")]
    Csv(#[from] ::csv::Error),
}
