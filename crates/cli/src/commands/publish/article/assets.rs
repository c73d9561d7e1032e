//! The charts and tables of an article as files of their own.

use std::path::{Path, PathBuf};

use drivelab_drawing::{DrawError, Drawer, Fonts};
use drivelab_lab::{Failure, Result, Voice};
use drivelab_report::format::counted;
use drivelab_report::{Built, DRAWING_SCRIPT};

/// Says that a folder was filled by drivelab, and lists the files, so that they may be replaced.
const MARK: &str = ".drivelab-article";

/// Every file with its name.
fn drawn(voice: &Voice, built: &Built) -> Result<Vec<(String, Vec<u8>)>> {
    let failed = |error: DrawError| Failure::unexpected(error.to_string());
    let drawer = Drawer::new(DRAWING_SCRIPT).map_err(failed)?;
    let fonts = Fonts::of_this_system();
    if fonts.is_none() {
        voice.warn(DrawError::NoFont.to_string());
    }
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for chart in &built.charts {
        let svg = drawer.svg(&chart.json).map_err(failed)?;
        if let Some(fonts) = &fonts {
            files.push((format!("{}.png", chart.name), fonts.png(&svg).map_err(failed)?));
        }
        files.push((format!("{}.svg", chart.name), svg.into_bytes()));
    }
    for table in &built.tables {
        files.push((format!("{}.md", table.name), table.markdown.clone().into_bytes()));
        files.push((format!("{}.html", table.name), table.html.clone().into_bytes()));
    }
    Ok(files)
}

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

    /// Writes every chart as SVG and PNG, every table as Markdown and HTML, in place of those of an earlier build.
    ///
    /// # Errors
    /// A chart cannot be drawn, a file cannot be written, or there is one that drivelab did not write.
    pub(super) fn write(&self, voice: &Voice, built: &Built) -> Result<()> {
        // Everything is drawn and checked before the files of an earlier build go.
        let files = drawn(voice, built)?;
        let made = std::fs::create_dir_all(&self.0);
        made.map_err(|error| Failure::unusable(format!("cannot make {}: {error}", self.0.display())))?;
        let earlier = self.earlier();
        let path = |name: &str| self.0.join(name);
        let is_of_others = |name: &String| !earlier.contains(name) && path(name).symlink_metadata().is_ok();
        if let Some((name, _)) = files.iter().find(|(name, _)| is_of_others(name)) {
            return Err(Failure::usage(format!(
                "{} was not written by drivelab and is not replaced; move it, or name another folder",
                path(name).display()
            )));
        }
        for name in &earlier {
            let _ = std::fs::remove_file(path(name));
        }
        // The list first: a build that ends early leaves nothing that the next one does not remove.
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        self.file(MARK, names.join("\n").as_bytes())?;
        for (name, bytes) in &files {
            self.file(name, bytes)?;
        }
        let (charts, tables) = (counted(built.charts.len(), "chart"), counted(built.tables.len(), "table"));
        voice.say(format!("Wrote {charts} and {tables} to {}", self.0.display()));
        Ok(())
    }

    /// The files that an earlier build wrote.
    fn earlier(&self) -> Vec<String> {
        let listed = std::fs::read_to_string(self.0.join(MARK)).unwrap_or_default();
        let names = listed.lines().filter(|name| !name.contains('/') && !name.starts_with('.'));
        names.map(str::to_owned).collect()
    }

    fn file(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.0.join(name);
        std::fs::write(&path, bytes)
            .map_err(|error| Failure::unusable(format!("cannot write {}: {error}", path.display())))
    }
}
