//! The x axis of a sweep: title, scale, ticks, labels.

use crate::figure::chart::{Axis, Scale};

/// A value of the second axis, in words.
pub(crate) fn value_text(axis: &str, value: &str) -> String {
    match axis {
        "threads" if value == "1" => "1 thread".to_owned(),
        "threads" => format!("{value} threads"),
        "queue_depth" => format!("Queue depth {value}"),
        "write_percent" => format!("{} % writes", value.trim_end_matches('%').trim()),
        "block_size" | "case" => value.to_owned(),
        other => format!("{} {value}", title(other)),
    }
}

/// Title of an axis.
pub(crate) fn title(axis: &str) -> String {
    match axis {
        "queue_depth" => "Queue depth per thread".to_owned(),
        "write_percent" => "Share of writes (%)".to_owned(),
        "block_size" => "Block size".to_owned(),
        "threads" => "Threads".to_owned(),
        "rate" => "Arrivals per second".to_owned(),
        other => other.replace('_', " "),
    }
}

/// The x axis over these positions of a sweep, each with its label.
pub(crate) fn over(axis: &str, places: &[(f64, &str)]) -> Axis {
    let mut ticks: Vec<f64> = places.iter().map(|(x, _)| *x).collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    let doubling = ticks.first().is_some_and(|first| *first > 0.0) && axis != "write_percent";
    // Sizes are labelled with their text ("4 KiB"), which a numeric axis would not show.
    let plain = |label: &str| label.trim_end_matches('%').trim().parse::<f64>().is_ok();
    let named = ticks.len() < 2 || !places.iter().all(|(_, label)| plain(label));
    let scale = if named {
        Scale::Category
    } else if doubling {
        Scale::Log2
    } else {
        Scale::Linear
    };
    let mut labels: Vec<String> = Vec::new();
    if named {
        let texts = ticks.iter().filter_map(|tick| places.iter().find(|(x, _)| x == tick));
        labels = texts.map(|(_, label)| (*label).to_owned()).collect();
    }
    let end = ticks.last().copied().unwrap_or(0.0);
    Axis { title: title(axis), scale, labels, ticks, end }
}

impl Axis {
    /// Where a position is drawn.
    pub(crate) fn place(&self, x: f64) -> f64 {
        let index = self.ticks.iter().position(|tick| *tick == x).unwrap_or_default();
        if self.scale == Scale::Category { index as f64 } else { x }
    }
}
