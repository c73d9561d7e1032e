//! The quantities that figures show: short names, units, columns. The id of a metric is an [`Op`] and a quantity
//! (docs/metrics.md).

use crate::figure::op::Op;
use crate::figure::table::Column;

/// MB/s.
pub(crate) const THROUGHPUT: &str = "throughput";
/// Operations per second.
pub(crate) const IOPS: &str = "iops";
/// Mean latency.
pub(crate) const MEAN: &str = "latency_mean";
/// Median latency.
pub(crate) const P50: &str = "latency_p50";
/// 99th percentile.
pub(crate) const P99: &str = "latency_p99";
/// 99.9th percentile.
pub(crate) const P999: &str = "latency_p999";
/// Longest latency.
pub(crate) const MAX: &str = "latency_max";
/// Mean response time.
pub(crate) const RESPONSE_MEAN: &str = "response_mean";
/// Median response time.
pub(crate) const RESPONSE_P50: &str = "response_p50";
/// 99th percentile of the response time.
pub(crate) const RESPONSE_P99: &str = "response_p99";
/// 99.9th percentile of the response time.
pub(crate) const RESPONSE_P999: &str = "response_p999";
/// Longest response time.
pub(crate) const RESPONSE_MAX: &str = "response_max";

/// A metric's id.
pub(crate) fn id(op: Op, quantity: &str) -> String {
    format!("{}.{quantity}", op.prefix())
}

/// Short name and unit of a quantity, for column headings.
pub(crate) fn heading(quantity: &str) -> (&'static str, &'static str) {
    match quantity {
        THROUGHPUT => ("Throughput", "MB/s"),
        IOPS => ("Operations", "IOPS"),
        MEAN => ("Latency mean", "µs"),
        P50 => ("Latency p50", "µs"),
        P99 => ("Latency p99", "µs"),
        P999 => ("Latency p99.9", "µs"),
        RESPONSE_MEAN => ("Response mean", "µs"),
        RESPONSE_P50 => ("Response p50", "µs"),
        RESPONSE_P99 => ("Response p99", "µs"),
        RESPONSE_P999 => ("Response p99.9", "µs"),
        RESPONSE_MAX => ("Response max", "µs"),
        _ => ("Latency max", "µs"),
    }
}

/// The column of a quantity; its title names `op` if the table has several.
pub(crate) fn column(op: Option<Op>, quantity: &str) -> Column {
    let (name, unit) = heading(quantity);
    let title = match op {
        Some(op) => format!("{} {}{}", op.title(), &name[..1].to_lowercase(), &name[1..]),
        None => name.to_owned(),
    };
    let metric = id(op.unwrap_or(Op::Read), quantity);
    Column { metric, ..Column::figures(&title, unit) }
}
