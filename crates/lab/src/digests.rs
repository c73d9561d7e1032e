//! Digests of stored runs: taken from the catalog, or computed from the recording and stored there.

use drivelab_analysis::digest::{DIGEST_VERSION, Digest};
use drivelab_analysis::{ANALYSIS_VERSION, Analysis};
use drivelab_core::environment::ToolVersion;
use drivelab_core::ids::RunId;
use drivelab_core::run::RunRecords;
use drivelab_store::{Catalog, DataDir};

use crate::failure::Result;
use crate::lab::load;

/// The digest of a run. It is computed from the recording if the catalog has none, if another version of drivelab
/// made it, or if more has been recorded since.
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

/// The records and the analysis of a run; its digest is stored in the catalog. If storing fails, the digest is
/// computed again when it is needed.
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

/// Computes the digest from the recording and stores it; returns it with the data that it was computed from.
fn made(data: &DataDir, catalog: &Catalog, tool: &ToolVersion, run: RunId) -> Result<(Digest, (RunRecords, Analysis))> {
    // Taken before the recording is read: events recorded in the meantime make the digest outdated.
    let recorded = catalog.recorded(run);
    let (records, analysis) = load(data, run)?;
    let digest = Digest::of(&records, &analysis);
    if let Ok(document) = serde_json::to_vec(&digest) {
        catalog.keep_digest(run, &version(tool), recorded, &document);
    }
    Ok((digest, (records, analysis)))
}

/// Version of all code that decides what a digest contains, including its wording.
fn version(tool: &ToolVersion) -> String {
    format!("{DIGEST_VERSION}.{ANALYSIS_VERSION} {} {}", tool.version, tool.commit)
}
