//! Digests of stored runs: taken from the catalog, or made of the recording and kept there.

use drivelab_analysis::digest::{DIGEST_VERSION, Digest};
use drivelab_analysis::{ANALYSIS_VERSION, Analysis};
use drivelab_core::environment::ToolVersion;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_store::{Catalog, DataDir};

use crate::failure::Result;
use crate::lab::load;

/// The digest of a run. One that is not kept, or was made by another drivelab or of less than is recorded now, is made
/// of the recording.
///
/// # Errors
/// A damaged bundle.
pub fn digest(data: &DataDir, catalog: &Catalog, tool: &ToolVersion, run: RunId) -> Result<Digest> {
    let kept = catalog.digest(run, &version(tool));
    if let Some(digest) = kept.and_then(|document| serde_json::from_slice(&document).ok()) {
        return Ok(digest);
    }
    made(data, catalog, tool, run).map(|(digest, _)| digest)
}

/// What is recorded of a run, and what it means; its digest is kept. Where that fails it is made again when it is
/// needed.
///
/// # Errors
/// A damaged bundle.
pub fn load_and_keep(
    data: &DataDir,
    catalog: &Catalog,
    tool: &ToolVersion,
    run: RunId,
) -> Result<(RunRecords, Analysis)> {
    made(data, catalog, tool, run).map(|(_, loaded)| loaded)
}

/// A digest made of the recording and kept, with what it was made of.
fn made(data: &DataDir, catalog: &Catalog, tool: &ToolVersion, run: RunId) -> Result<(Digest, (RunRecords, Analysis))> {
    // Before it is read: what is recorded meanwhile makes the digest an old one.
    let recorded = catalog.recorded(run);
    let (records, analysis) = load(data, run)?;
    let digest = Digest::of(&records, &analysis);
    if let Ok(document) = serde_json::to_vec(&digest) {
        catalog.keep_digest(run, &version(tool), recorded, &document);
    }
    Ok((digest, (records, analysis)))
}

/// Version of all code that decides what a digest says, words among it.
fn version(tool: &ToolVersion) -> String {
    format!("{DIGEST_VERSION}.{ANALYSIS_VERSION} {} {}", tool.version, tool.commit)
}
