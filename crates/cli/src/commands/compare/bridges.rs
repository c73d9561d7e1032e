//! Drives of the catalog that were measured on the testbeds of a comparison.

use drivelab_analysis::bridge::{Bridge, bridges, naming};
use drivelab_analysis::digest::Digest;
use drivelab_analysis::side_by_side::are_one_method;
use drivelab_lab::digests;
use drivelab_store::{Catalog, DataDir, RunRow};

use super::read::{Read, Run};
use super::sides::is_fit;
use crate::context::Context;

/// The bridges between the testbed of the base and the others; `None` if all sides are of one testbed, or of one drive:
/// then the comparison itself is the bridge. Runs that cannot be read are none.
pub(super) fn found(
    context: &Context,
    (data, catalog): (&DataDir, &Catalog),
    all: &[RunRow],
    (read, base): (&Read, usize),
) -> Option<Vec<Bridge>> {
    let first = read.sides.get(base)?.first()?;
    let name = naming(read.runs().map(|run| &run.digest.run));
    let of_run = |run: &Run| name(&run.digest.run);
    let from = of_run(first);
    let mut to: Vec<String> = read.runs().map(of_run).filter(|testbed| *testbed != from).collect();
    to.sort();
    to.dedup();
    if to.is_empty() || read.is_of_one_drive() {
        return None;
    }
    let is_like = |row: &&RunRow| is_fit(row) && row.method == first.row.method && row.form == first.row.form;
    let like: Vec<&RunRow> = all.iter().filter(is_like).collect();
    // The catalog knows which drives have runs on several testbeds; only these are read.
    let elsewhere = |row: &&&RunRow| {
        let same = |other: &&RunRow| (&other.drive, &other.serial) == (&row.drive, &row.serial);
        row.serial.is_some() && like.iter().any(|other| same(other) && other.testbed != row.testbed)
    };
    let known: Vec<Digest> = like
        .iter()
        .filter(elsewhere)
        .filter_map(|row| digests::digest(data, catalog, &context.tool, row.id).ok())
        .filter(|digest| digest.run.id == first.row.id || are_one_method(digest, &first.digest))
        .collect();
    Some(bridges(&known.iter().collect::<Vec<_>>(), (&from, &to), name))
}
