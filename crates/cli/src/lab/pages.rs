//! Writes report files without ever replacing something that drivelab did not write.

use std::io::Write;
use std::path::{Path, PathBuf};

use drivelab_core::exit::ExitCode;

use crate::fail::{Failure, Result};

/// A file that may be written: checked before a run, so that two minutes are not spent for a page that cannot be kept.
#[derive(Debug, Clone)]
pub struct OutputFile(PathBuf);

impl OutputFile {
    /// Checks that the file is absent or ours, and that its folder is there and can be written.
    ///
    /// # Errors
    /// Exit 5 for a foreign file, exit 6 for a folder that is missing or read-only.
    pub fn check(path: &Path) -> Result<OutputFile> {
        let path = std::path::absolute(path)
            .map_err(|error| Failure::usage(format!("'{}' is no path for a report: {error}", path.display())))?;
        refuse_foreign(&path)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        if let Err(error) = tempfile_in(folder) {
            return Err(Failure::new(
                ExitCode::TargetUnusable,
                format!("the report cannot be written to {}: {error}; name another file with -o FILE", path.display()),
            ));
        }
        Ok(OutputFile(path))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the whole file or leaves what was there.
    ///
    /// # Errors
    /// As for [`Self::check`], and a full disk.
    pub fn write(&self, content: &str) -> Result<()> {
        refuse_foreign(&self.0)?;
        let folder = self.0.parent().unwrap_or(Path::new("/"));
        let failed = |error: std::io::Error| {
            Failure::new(
                ExitCode::TargetUnusable,
                format!(
                    "the report could not be written to {}: {error}; the run is kept, `drivelab report --last -o FILE` \
                     makes the report again",
                    self.0.display()
                ),
            )
        };
        let mut file = tempfile_in(folder).map_err(failed)?;
        file.write_all(content.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        file.persist(&self.0).map(|_| ()).map_err(|error| failed(error.error))
    }
}

/// A new file beside the final one, readable by everybody as a report should be.
fn tempfile_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    tempfile::Builder::new()
        .prefix(".drivelab-report-")
        .permissions(std::fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)
}

/// What is there and was not written by drivelab stays.
fn refuse_foreign(path: &Path) -> Result<()> {
    let foreign = |why: &str| {
        Err(Failure::new(
            ExitCode::GuardRefused,
            format!(
                "{} exists and {why}; drivelab replaces only reports of its own. Move it away, or name another file \
                 with -o FILE",
                path.display()
            ),
        ))
    };
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => {
            Err(Failure::new(ExitCode::TargetUnusable, format!("cannot look at {}: {error}", path.display())))
        }
        Ok(metadata) if !metadata.is_file() => foreign("is not a regular file"),
        Ok(_) => match std::fs::read(path) {
            Ok(content) if drivelab_report::is_drivelab_output(&content) => Ok(()),
            Ok(_) => foreign("was not written by drivelab"),
            Err(error) => foreign(&format!("cannot be read ({error})")),
        },
    }
}
