//! The two checked documents, `manifest.json` and `seal.json`: their fields, versions and checksums. Also the writing
//! of plain JSON files in the data folder, which have neither version nor checksum.
//!
//! The fields and their order are those of docs/formats/bundle.md. The order matters, because the checksum is
//! computed over the content written without white space.

use std::path::Path;

use drivelab_core::environment::ToolVersion;
use drivelab_core::event::{EVENT_VERSION, RunState};
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, MethodIdentity};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::fsio;

/// Version of the bundle format that this crate writes, and the only one it reads.
pub const FORMAT_VERSION: u32 = 1;

/// One file of a bundle as it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path relative to the bundle.
    pub path: String,
    /// Length of the whole file.
    pub bytes: u64,
    /// BLAKE3 of the whole file, 64 hexadecimal digits.
    pub blake3: String,
    /// Number of whole frames, for segments.
    pub frames: Option<u32>,
    /// Number of events in those frames, for segments.
    pub records: Option<u64>,
}

impl FileEntry {
    /// The entry for these bytes.
    pub(crate) fn of(path: &str, bytes: &[u8]) -> Self {
        let blake3 = blake3::hash(bytes).to_hex().to_string();
        FileEntry { path: path.to_owned(), bytes: bytes.len() as u64, blake3, frames: None, records: None }
    }

    /// The entry for a file, read in pieces to save memory.
    pub(crate) fn of_file(path: &str, file: &Path) -> Result<Self, StoreError> {
        let mut hasher = blake3::Hasher::new();
        let input = drivelab_core::input::open(file).map_err(|error| StoreError::io("read", file, error))?;
        hasher.update_reader(input).map_err(|error| StoreError::io("read", file, error))?;
        let (bytes, blake3) = (hasher.count(), hasher.finalize().to_hex().to_string());
        Ok(FileEntry { path: path.to_owned(), bytes, blake3, frames: None, records: None })
    }

    /// Checks that these bytes match the entry.
    pub(crate) fn check(&self, file: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        self.agrees(file, &FileEntry::of(&self.path, bytes))
    }

    /// Checks that the file that was found matches the entry, apart from its frames.
    pub(crate) fn agrees(&self, file: &Path, found: &FileEntry) -> Result<(), StoreError> {
        if found.bytes != self.bytes {
            let what = format!("it has {} bytes, but was written with {}", found.bytes, self.bytes);
            return Err(StoreError::damaged(file, what));
        }
        if found.blake3 != self.blake3 {
            return Err(StoreError::damaged(file, "its BLAKE3 does not match the recorded one"));
        }
        Ok(())
    }
}

/// The description of a run; written when it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the event vocabulary.
    pub event_version: u32,
    /// The run.
    pub run: RunId,
    /// Wall-clock time of run time 0, RFC 3339 in UTC.
    pub started: String,
    /// The version of drivelab that started it.
    pub tool: ToolVersion,
    /// The methodology.
    pub methodology: MethodIdentity,
    /// Its form.
    pub form: Form,
    /// Path of the target; for a run under conditions, the drive with the condition in brackets.
    pub target: String,
    /// Model of the drive, if the target is on one that reports it.
    pub drive: Option<String>,
    /// Number of executions in the plan; steady tests with their most rounds.
    pub steps_total: u32,
    /// The copies, which are never changed.
    pub files: Vec<FileEntry>,
}

/// How a run ended; written last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// The run.
    pub run: RunId,
    /// Complete or failed.
    pub state: RunState,
    /// When the last event was written, RFC 3339 in UTC.
    pub ended: String,
    /// Number of events in all segments.
    pub events: u64,
    /// Number of finished executions.
    pub steps_done: u32,
    /// The manifest and all segments.
    pub files: Vec<FileEntry>,
}

/// A kind of checked document.
pub(crate) trait Checked: Serialize + DeserializeOwned {
    /// Its `format`.
    const FORMAT: &'static str;
}

impl Checked for Manifest {
    const FORMAT: &'static str = "drivelab-bundle";
}

impl Checked for Seal {
    const FORMAT: &'static str = "drivelab-seal";
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<T> {
    format: String,
    format_version: u32,
    content: T,
    blake3: String,
}

/// The fields common to every version.
#[derive(Deserialize)]
struct Probe {
    format: String,
    format_version: u32,
    content: serde_json::Value,
}

/// The document as text.
pub(crate) fn write<T: Checked>(content: T) -> Result<Vec<u8>, StoreError> {
    let unstorable = |error: serde_json::Error| StoreError::Unstorable {
        what: format!("the {} document", T::FORMAT),
        why: error.to_string(),
    };
    let blake3 = hash(&content).map_err(unstorable)?;
    let document = Document { format: T::FORMAT.to_owned(), format_version: FORMAT_VERSION, content, blake3 };
    let mut text = serde_json::to_vec_pretty(&document).map_err(unstorable)?;
    text.push(b'\n');
    Ok(text)
}

/// Stores a value as a readable, plain JSON file, atomically and durably; `what` names it in the error if JSON cannot
/// hold it.
pub(crate) fn keep<T: Serialize>(path: &Path, what: &str, value: &T) -> Result<(), StoreError> {
    let unstorable =
        |error: serde_json::Error| StoreError::Unstorable { what: what.to_owned(), why: error.to_string() };
    let mut text = serde_json::to_vec_pretty(value).map_err(unstorable)?;
    text.push(b'\n');
    fsio::write_atomically(path, &text)
}

/// Reads and checks a document.
pub(crate) fn read<T: Checked>(path: &Path) -> Result<T, StoreError> {
    let bytes = fsio::read(path)?;
    let bad = |error: String| StoreError::damaged(path, error);
    let probe: Probe = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
    if probe.format != T::FORMAT {
        return Err(bad(format!("its format is '{}', but should be '{}'", probe.format, T::FORMAT)));
    }
    if probe.format_version != FORMAT_VERSION {
        let writer = probe.content.pointer("/tool/version").and_then(|version| version.as_str());
        return Err(newer(path, "format", probe.format_version, FORMAT_VERSION, writer));
    }
    let document: Document<T> = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
    if hash(&document.content).map_err(|error| bad(error.to_string()))? != document.blake3 {
        return Err(bad("its content does not match its BLAKE3".to_owned()));
    }
    Ok(document.content)
}

/// Reads the manifest of a bundle and refuses events of a newer vocabulary.
pub(crate) fn read_manifest(path: &Path) -> Result<Manifest, StoreError> {
    let manifest: Manifest = read(path)?;
    if manifest.event_version > EVENT_VERSION {
        return Err(newer(path, "event", manifest.event_version, EVENT_VERSION, Some(&manifest.tool.version)));
    }
    Ok(manifest)
}

fn newer(path: &Path, what: &'static str, found: u32, reads: u32, writer: Option<&str>) -> StoreError {
    StoreError::Newer { path: path.to_owned(), what, found, reads, writer: writer.map(str::to_owned) }
}

fn hash<T: Serialize>(content: &T) -> Result<String, serde_json::Error> {
    Ok(blake3::hash(&serde_json::to_vec(content)?).to_hex().to_string())
}
