//! The marks by which drivelab recognizes its own outputs, so that it never replaces other files.

/// Bytes at the start of a file that are searched for a mark.
const LOOK_AT: usize = 4096;
/// In the head of every page.
pub(crate) const PAGE: &str = "<meta name=\"generator\" content=\"drivelab report\">";
/// First line of every Markdown report.
pub(crate) const MARKDOWN: &str = "<!-- drivelab report -->";
/// First columns of every CSV report.
pub(crate) const CSV: &str = "drivelab_results_version,";
/// Second line of every report in the layout of CrystalDiskMark.
pub(crate) const CDM: &str = "drivelab: figures of its own in the layout of CrystalDiskMark 9.0.1; drivelab";
/// Second line of every JUnit file.
const JUNIT: &str = "<!-- drivelab report -->";
/// Value of the field `schema` of every JSON report.
pub(crate) const SCHEMA: &str = "drivelab.results";
/// Value of the field `schema` of every JSON report of several drives at once.
pub(crate) const TOGETHER: &str = "drivelab.together";
/// Value of the field `schema` of every comparison of runs.
pub(crate) const COMPARE: &str = "drivelab.compare";
/// First columns of every comparison as CSV.
pub(crate) const COMPARE_CSV: &str = "drivelab_compare_version,";
/// Value of the field `schema` of every ranking.
pub(crate) const RANK: &str = "drivelab.rank";
/// First columns of every ranking as CSV.
pub(crate) const RANK_CSV: &str = "drivelab_rank_version,";
/// Value of the field `schema` of every comparison of arms, which `drivelab run --arm` prints.
pub(crate) const ARMS: &str = "drivelab.arms";

fn head(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..LOOK_AT).unwrap_or(bytes)).into_owned()
}

/// Whether a file is a page that drivelab wrote.
#[must_use]
pub fn is_drivelab_page(bytes: &[u8]) -> bool {
    let head = head(bytes);
    head.starts_with("<!DOCTYPE html>") && head.contains(PAGE)
}

/// Whether a file is a report that drivelab wrote, in any of its formats. A JSON file must be given whole.
#[must_use]
pub fn is_drivelab_output(bytes: &[u8]) -> bool {
    let head = head(bytes);
    let begins = [MARKDOWN, CSV, COMPARE_CSV, RANK_CSV].iter().any(|mark| head.starts_with(mark));
    let is_junit = head.starts_with("<?xml") && head.lines().nth(1) == Some(JUNIT);
    is_drivelab_page(bytes) || begins || is_junit || is_cdm(&head) || is_json(bytes)
}

fn is_cdm(head: &str) -> bool {
    head.lines().nth(1).is_some_and(|line| line.starts_with(CDM))
}

/// Whether this is a JSON object whose field `schema`, at any position, has a value of drivelab.
fn is_json(bytes: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Named {
        schema: String,
    }
    serde_json::from_slice::<Named>(bytes)
        .is_ok_and(|named| [SCHEMA, TOGETHER, COMPARE, RANK].contains(&named.schema.as_str()))
}
