//! The x axis of a sweep (title, scale, ticks, labels), and of bars with names.

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

/// Fewest labels that are worth shortening.
const MANY_LABELS: usize = 7;
/// Fewest characters that all of them begin with.
const LONG_BEGINNING: usize = 12;

/// The axis of bars with these labels. What many of them begin with is said once, below the axis.
pub(crate) fn of_bars(labels: Vec<String>) -> Axis {
    let first = labels.first().cloned().unwrap_or_default();
    let same = |label: &String| first.chars().zip(label.chars()).take_while(|(one, other)| one == other).count();
    let shared = labels.iter().map(same).min().unwrap_or_default();
    let shared = first.char_indices().nth(shared).map_or(first.len(), |(at, _)| at);
    // Whole words only.
    let shared = first.get(..shared).and_then(|text| text.rfind(' ')).map_or(0, |space| space + 1);
    if labels.len() < MANY_LABELS || shared < LONG_BEGINNING {
        return Axis::named("", labels);
    }
    let title = format!("{} …", first[..shared].trim_end());
    Axis::named(&title, labels.iter().map(|label| label[shared..].to_owned()).collect())
}

impl Axis {
    /// Where a position is drawn.
    pub(crate) fn place(&self, x: f64) -> f64 {
        let index = self.ticks.iter().position(|tick| *tick == x).unwrap_or_default();
        if self.scale == Scale::Category { index as f64 } else { x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_bars_begin_with_is_said_once() {
        let labels = |count: usize| (0..count).map(|at| format!("SEQ 1 MiB read, span 4 % at {} %", 4 * at)).collect();
        let axis = of_bars(labels(25));
        assert_eq!((axis.title.as_str(), axis.labels[1].as_str()), ("SEQ 1 MiB read, span 4 % at …", "4 %"));
        assert_eq!(of_bars(labels(3)).labels[1], "SEQ 1 MiB read, span 4 % at 4 %", "a few labels stay whole");
        let unlike: Vec<String> = ["a", "b", "c", "d", "e", "f", "g", "h"].map(str::to_owned).into();
        assert_eq!(of_bars(unlike.clone()).labels, unlike);
    }
}
