//! `drivelab article`.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

/// What the help shows behind the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  drivelab article new last -o review.md                     a draft with charts, tables and gaps for your words
  drivelab article new last --against published:dillon-nvme -o review.md
  drivelab article check review.md                           what is still open (exit code 3)
  drivelab article build review.md                           review.html, one file that opens offline
  drivelab article build review.md --assets figures          each chart as SVG and PNG, each table as Markdown and HTML

An article is Markdown with a front matter. References such as {{ chart corners-bars }} show charts and tables of the \
runs, {{ value ADDRESS = 3,412 MB/s }} a figure that is checked whenever the page is built, {{ gap TEXT }} what is \
still to be written. `drivelab article list` names everything that can be shown.";

/// What to do with an article.
#[derive(Debug, Subcommand)]
pub enum ArticleCommand {
    /// Write a draft about runs, with charts and tables by reference and gaps for your own words.
    New {
        /// The runs: the first or last characters of their ids, or `last`.
        #[arg(value_name = "RUN")]
        runs: Vec<String>,
        /// Compare with this, as in `drivelab compare`: a run, a drive, a selection or published figures.
        /// Can be repeated.
        #[arg(long, value_name = "SIDE")]
        against: Vec<String>,
        /// Compare runs that differ in this. Can be repeated.
        #[arg(long, value_name = "WHAT")]
        allow: Vec<String>,
        /// The file to write. An existing file is never replaced, because it may contain your text.
        #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "article.md")]
        output: PathBuf,
    },
    /// Build the page of an article: one HTML file that opens offline.
    Build {
        /// The article.
        #[arg(value_hint = ValueHint::FilePath)]
        article: PathBuf,
        /// The page to write [default: the article's name with .html]. An existing file is only replaced if drivelab
        /// wrote it.
        #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
        /// Also write each chart as SVG and PNG and each table as Markdown and HTML into this folder, for your own
        /// site.
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        assets: Option<PathBuf>,
        /// Leave serial numbers and folder names out.
        #[arg(long)]
        redact: bool,
    },
    /// List open gaps, broken references, and figures that match no run, data sheet or published drive.
    Check {
        /// The article.
        #[arg(value_hint = ValueHint::FilePath)]
        article: PathBuf,
    },
    /// List the charts, tables and findings that an article can show, by name.
    List {
        /// The article.
        #[arg(value_hint = ValueHint::FilePath)]
        article: PathBuf,
    },
}
