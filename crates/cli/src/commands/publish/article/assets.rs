//! The charts and tables of an article as files of their own.

use std::path::{Path, PathBuf};

use drivelab_drawing::{DrawError, Drawer, png};
use drivelab_lab::{Failure, Result, Voice};
use drivelab_report::{Built, DRAWING_SCRIPT};

/// Says that a folder was filled by drivelab, so that its files may be replaced.
const MARK: &str = ".drivelab-article";

/// A folder for charts and tables.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder at a path, which is made when it is filled.
    ///
    /// # Errors
    /// It holds files that drivelab did not write.
    pub(super) fn of(path: &Path) -> Result<Folder> {
        let full = std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if full && !path.join(MARK).exists() {
            return Err(Failure::usage(format!(
                "{} holds files that drivelab did not write; name an empty or a new folder",
                path.display()
            )));
        }
        Ok(Folder(path.to_owned()))
    }

    /// Writes every chart as SVG and PNG, every table as Markdown and HTML.
    ///
    /// # Errors
    /// A file cannot be written, or a chart cannot be drawn.
    pub(super) fn write(&self, voice: &Voice, built: &Built) -> Result<()> {
        let made = std::fs::create_dir_all(&self.0);
        made.map_err(|error| Failure::unusable(format!("cannot make {}: {error}", self.0.display())))?;
        self.file(MARK, b"")?;
        let drawn = |error: DrawError| Failure::unexpected(error.to_string());
        let drawer = Drawer::new(DRAWING_SCRIPT).map_err(drawn)?;
        let mut pictures = true;
        for chart in &built.charts {
            let svg = drawer.svg(&chart.json).map_err(drawn)?;
            self.file(&format!("{}.svg", chart.name), svg.as_bytes())?;
            match png(&svg) {
                Ok(bytes) => self.file(&format!("{}.png", chart.name), &bytes)?,
                Err(DrawError::NoFont) if pictures => {
                    pictures = false;
                    voice.warn(DrawError::NoFont.to_string());
                }
                Err(DrawError::NoFont) => {}
                Err(error) => return Err(drawn(error)),
            }
        }
        for table in &built.tables {
            self.file(&format!("{}.md", table.name), table.markdown.as_bytes())?;
            self.file(&format!("{}.html", table.name), table.html.as_bytes())?;
        }
        let (charts, tables) = (built.charts.len(), built.tables.len());
        voice.say(format!("Wrote {charts} charts and {tables} tables to {}", self.0.display()));
        Ok(())
    }

    fn file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.0.join(name);
        std::fs::write(&path, bytes)
            .map_err(|error| Failure::unusable(format!("cannot write {}: {error}", path.display())))
    }
}
