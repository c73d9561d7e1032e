//! Digests of stored runs: taken from the catalog, or made of the bundle and kept there.

use drivelab_analysis::ANALYSIS_VERSION;
use drivelab_analysis::digest::{DIGEST_VERSION, Digest};
use drivelab_store::{Catalog, DataDir, RunRow};

use crate::failure::Result;
use crate::lab::load;

/// The digest of a run. One that is not kept, or was made by other code, is made of the bundle; that of a run that is
/// still going on is not kept.
///
/// # Errors
/// A damaged bundle.
pub fn digest(data: &DataDir, catalog: &Catalog, row: &RunRow) -> Result<Digest> {
    let kept = catalog.digest(row.id, &version());
    if let Some(digest) = kept.and_then(|document| serde_json::from_slice(&document).ok()) {
        return Ok(digest);
    }
    let (records, analysis) = load(data, row.id)?;
    let digest = Digest::of(&records, &analysis);
    if !row.live {
        keep(catalog, &digest);
    }
    Ok(digest)
}

/// Keeps the digest of a run that has ended. Where that fails it is made again when it is needed.
pub fn keep(catalog: &Catalog, digest: &Digest) {
    if let Ok(document) = serde_json::to_vec(digest) {
        catalog.keep_digest(digest.run.id, &version(), &document);
    }
}

/// Version of all code that decides what a digest says.
fn version() -> String {
    format!("{DIGEST_VERSION}.{ANALYSIS_VERSION}")
}
