//! `cargo xtask pictures`: makes the pictures of the README again, from a review by the release build.
//!
//! Owns: which parts of a page are shown, and what a terminal looks like. Takes about three minutes and needs a calm
//! machine: the figures in the pictures are real.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use crate::shell::{cargo, command, run as run_command};

/// Where the pictures are stored.
const FOLDER: &str = "docs/images";
/// Sections of the page that are shown: a table, and a chart.
const SHOWN: [&str; 2] = ["look", "depths"];
/// Pixels of the picture of the page.
const PAGE: (u32, u32) = (1180, 1770);
/// Pixels of a line of the terminal, and around all lines.
const LINE: (u32, u32) = (21, 56);
/// Lines of the terminal that are shown.
const LINES: usize = 32;

/// The pictures of the README, from a review of a folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Pictures {
    /// The program, instead of the release build of this checkout
    #[arg(long, value_name = "PATH")]
    drivelab: Option<PathBuf>,
    /// The folder that is reviewed; its path is in the picture of the terminal
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    target: PathBuf,
}

/// Makes a review, and takes pictures of its result.
pub(crate) fn run(root: &Path, options: &Pictures) -> Result<()> {
    let built = root.join("target/release/drivelab");
    if options.drivelab.is_none() {
        run_command(cargo(root, &["build", "--release", "--locked", "--package", "drivelab"]))?;
    }
    let program = options.drivelab.as_ref().unwrap_or(&built);
    let folder = root.join("target/pictures");
    fs::create_dir_all(&folder).context("a folder for what is made on the way")?;
    let target = options.target.canonicalize().context("the folder that is reviewed")?;
    let page = folder.join("review.html");
    // A review does not overwrite an existing page.
    let _ = fs::remove_file(&page);
    let mut review = command(root, &program.display().to_string(), &["review"]);
    review.arg(&target).arg("--output").arg(&page).args(["--redact", "--yes"]);
    let shown = review.env("DRIVELAB_DATA", folder.join("data")).stderr(Stdio::inherit()).output()?;
    ensure!(shown.status.success(), "the review ended with {}", shown.status);
    let text = String::from_utf8_lossy(&shown.stdout);

    let part = folder.join("part.html");
    fs::write(&part, only_shown(&fs::read_to_string(&page)?))?;
    photograph(root, &part, &root.join(FOLDER).join("review.png"), PAGE)?;
    let (terminal, lines) = as_terminal(&text);
    let drawn = folder.join("terminal.html");
    fs::write(&drawn, terminal)?;
    photograph(root, &drawn, &root.join(FOLDER).join("terminal.png"), (900, lines * LINE.0 + LINE.1))
}

/// The page without the sections that are not shown.
fn only_shown(page: &str) -> String {
    let others = SHOWN.map(|id| format!(":not(#{id})")).concat();
    let style = format!("<style>section{others}, nav {{ display: none !important }}</style></head>");
    page.replacen("</head>", &style, 1)
}

/// The first lines of a text in a window, as a separate page, and the number of lines.
fn as_terminal(text: &str) -> (String, u32) {
    let lines: Vec<&str> = text.lines().take(LINES).collect();
    let escaped = lines.join("\n").replace('&', "&amp;").replace('<', "&lt;");
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><style>body {{ margin: 0; background: #10171f }} pre {{ margin: 28px; \
         color: #dfe6ee; font: 15px/{}px 'DejaVu Sans Mono', monospace }}</style><pre>{escaped}</pre>",
        LINE.0
    );
    (page, u32::try_from(lines.len()).unwrap_or(u32::MAX))
}

fn photograph(root: &Path, page: &Path, picture: &Path, (width, height): (u32, u32)) -> Result<()> {
    let mut chromium = command(root, "chromium", &["--headless", "--no-sandbox", "--disable-quic"]);
    chromium.args(["--disable-background-networking", "--hide-scrollbars", "--virtual-time-budget=5000"]);
    chromium.arg(format!("--window-size={width},{height}")).arg(format!("--screenshot={}", picture.display()));
    run_command({
        chromium.arg(format!("file://{}", page.display())).stderr(Stdio::null());
        chromium
    })?;
    ensure!(picture.is_file(), "no picture came of {}", page.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_keeps_the_sections_that_are_shown() {
        let page = only_shown("<head></head><section id=\"look\"></section>");
        assert!(page.contains("section:not(#look):not(#depths), nav { display: none") && page.contains("</head>"));
    }

    #[test]
    fn what_a_terminal_says_is_no_markup() {
        let (page, lines) = as_terminal("p99 < 1 ms\n& more\n");
        assert!(page.contains("p99 &lt; 1 ms\n&amp; more</pre>"));
        assert_eq!(lines, 2);
    }
}
