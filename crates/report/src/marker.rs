//! The marks by which drivelab knows its own outputs, so that a file of somebody else is never replaced.

/// In the page, in Markdown and in JSON; the text stands near the start.
const LOOK_AT: usize = 4096;
/// Stands in the head of every page.
pub(crate) const PAGE: &str = "<meta name=\"generator\" content=\"drivelab report\">";
/// First line of every Markdown report.
pub(crate) const MARKDOWN: &str = "<!-- drivelab report -->";
/// First columns of every CSV report.
pub(crate) const CSV: &str = "drivelab_results_version,";
/// Second line of every report in the layout of CrystalDiskMark.
pub(crate) const CDM: &str = "drivelab: figures of its own in the layout of CrystalDiskMark 9.0.1; drivelab";
/// Value of the field `schema` of every JSON report.
pub(crate) const SCHEMA: &str = "drivelab.results";
/// The same of a report of several drives at once.
pub(crate) const TOGETHER: &str = "drivelab.together";
/// The same of several arms beside each other, which `drivelab run --arm` prints.
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

/// Whether a file is a report that drivelab wrote, in any of its formats. Needs the whole file where it is JSON.
#[must_use]
pub fn is_drivelab_output(bytes: &[u8]) -> bool {
    let head = head(bytes);
    is_drivelab_page(bytes) || head.starts_with(MARKDOWN) || head.starts_with(CSV) || is_cdm(&head) || is_json(bytes)
}

fn is_cdm(head: &str) -> bool {
    head.lines().nth(1).is_some_and(|line| line.starts_with(CDM))
}

/// An object whose field `schema` is ours, wherever it stands.
fn is_json(bytes: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Named {
        schema: String,
    }
    serde_json::from_slice::<Named>(bytes).is_ok_and(|named| [SCHEMA, TOGETHER].contains(&named.schema.as_str()))
}
