//! docs/metrics.md is exactly what the tables print.
//!
//! `DRIVELAB_UPDATE_DOCS=1 cargo test -p drivelab-analysis` renews it.

use std::path::Path;

#[test]
fn docs_metrics_md_is_what_the_table_prints() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let printed = drivelab_analysis::metrics_markdown();
    if std::env::var_os("DRIVELAB_UPDATE_DOCS").is_some() {
        std::fs::write(&page, &printed).expect("docs/metrics.md can be written");
    }
    let stored = std::fs::read_to_string(&page).expect("docs/metrics.md can be read");
    assert!(
        stored == printed,
        "docs/metrics.md is not what the tables print; renew it with DRIVELAB_UPDATE_DOCS=1 cargo test -p \
         drivelab-analysis"
    );
}

#[test]
fn every_metric_has_its_heading() {
    let printed = drivelab_analysis::metrics_markdown();
    for metric in drivelab_analysis::METRICS {
        let heading = format!("\n### `{}`\n", metric.id);
        assert_eq!(printed.matches(&heading).count(), 1, "{}", metric.id);
    }
}
