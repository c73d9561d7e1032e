//! From the bytes of an adapter to values on the run clock. Must not know where the bytes come from.

use std::collections::VecDeque;

use crate::text::adapter_line;

/// A longer line is not a line of numbers.
const LONGEST_LINE: usize = 4096;
/// The mapping uses the least delay of the last minute. Clocks drift: over all time, the least delay of a meter with
/// a slow clock would be its first, and its readings would be placed earlier and earlier.
const TIED_FOR_NS: u64 = 60_000_000_000;
/// For each interval of this length one delay is stored, the least.
const STRETCH_NS: u64 = 5_000_000_000;

/// Incomplete lines, and the mapping from the adapter's clock to the run's.
#[derive(Debug, Default)]
pub(super) struct Meter {
    partial: Vec<u8>,
    /// Run time at the adapter's zero, in nanoseconds, by the line with the least delay in each interval of the last
    /// minute, with the run time at the start of the interval.
    offsets: VecDeque<(u64, f64)>,
    last_at_ns: Option<u64>,
    last_seconds: f64,
}

impl Meter {
    /// Takes bytes that were read at a run time; complete lines among them become values in order of time.
    ///
    /// # Errors
    /// An invalid line; the lines before it are lost too, because it is unknown what the adapter means.
    pub(super) fn take(&mut self, bytes: &[u8], arrived_ns: u64) -> Result<Vec<(u64, f64)>, String> {
        self.partial.extend_from_slice(bytes);
        let mut readings = Vec::new();
        let mut wrong = None;
        while let Some(end) = self.partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.partial.drain(..=end).collect();
            match adapter_line(&String::from_utf8_lossy(&line)) {
                Ok(Some((seconds, value))) => readings.push((seconds, value)),
                Ok(None) => {}
                Err(error) => wrong = Some(error),
            }
        }
        if self.partial.len() > LONGEST_LINE {
            self.partial.clear();
            wrong = Some(format!("a line of more than {LONGEST_LINE} bytes is not `seconds value`"));
        }
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        self.tie(&readings, arrived_ns);
        Ok(readings
            .into_iter()
            .filter_map(|(seconds, value)| Some((self.place(seconds, arrived_ns)?, value)))
            .collect())
    }

    /// Updates the mapping from lines that arrived together. An adapter whose seconds go back was restarted, so the
    /// mapping starts again too.
    #[expect(clippy::cast_precision_loss, reason = "run times are below 2^53 nanoseconds for a hundred days")]
    fn tie(&mut self, readings: &[(f64, f64)], arrived_ns: u64) {
        for (seconds, _) in readings {
            if *seconds < self.last_seconds {
                self.offsets.clear();
            }
            self.last_seconds = *seconds;
            let offset = arrived_ns as f64 - seconds * 1e9;
            match self.offsets.back_mut() {
                Some((began_ns, least)) if arrived_ns < began_ns.saturating_add(STRETCH_NS) => {
                    *least = least.min(offset)
                }
                _ => self.offsets.push_back((arrived_ns, offset)),
            }
        }
        while self.offsets.front().is_some_and(|(began_ns, _)| arrived_ns > began_ns.saturating_add(TIED_FOR_NS)) {
            self.offsets.pop_front();
        }
    }

    /// The run time of an adapter's second, never later than its arrival; `None` before the run, and if it is not
    /// later than the last one.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be at or above 0")]
    fn place(&mut self, seconds: f64, arrived_ns: u64) -> Option<u64> {
        let offset_ns = self.offsets.iter().map(|(_, offset)| *offset).reduce(f64::min)?;
        let at = offset_ns + seconds * 1e9;
        if at.is_nan() || at < 0.0 {
            return None;
        }
        let at_ns = (at.round() as u64).min(arrived_ns);
        if self.last_at_ns.is_some_and(|last| at_ns <= last) {
            return None;
        }
        self.last_at_ns = Some(at_ns);
        Some(at_ns)
    }
}
