//! From a trace of `drivelab io --trace` to facts that only single operations show: how arrivals are spaced, and how
//! far reported percentiles are from an exact sort of the same latencies.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Percentiles that drivelab reports, by their name in its JSON.
pub(crate) const PERCENTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)];

/// Columns of a trace, in nanoseconds, each sorted.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Trace {
    intended: Vec<u64>,
    submitted: Vec<u64>,
    latencies: Vec<u64>,
}

impl Trace {
    /// Reads a trace; columns are found by their names.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let opened = File::open(file).context("drivelab left no trace")?;
        Trace::parse(BufReader::new(opened).lines())
    }

    pub(crate) fn parse(mut lines: impl Iterator<Item = std::io::Result<String>>) -> Result<Self> {
        let head = lines.next().context("the trace is empty")??;
        let at = |name: &str| {
            let found = head.split('\t').position(|column| column == name);
            found.with_context(|| format!("the trace has no column {name}"))
        };
        let (intended, submitted, latency) = (at("intended_ns")?, at("submit_ns")?, at("latency_ns")?);
        let mut trace = Trace::default();
        for line in lines {
            let line = line?;
            let cells: Vec<&str> = line.split('\t').collect();
            let number = |index: usize| -> Result<u64> {
                let cell = cells.get(index).context("a line of the trace is cut off")?;
                cell.parse().with_context(|| format!("'{cell}' in the trace is no number"))
            };
            trace.intended.push(number(intended)?);
            trace.submitted.push(number(submitted)?);
            trace.latencies.push(number(latency)?);
        }
        for column in [&mut trace.intended, &mut trace.submitted, &mut trace.latencies] {
            column.sort_unstable();
        }
        ensure!(trace.latencies.len() > 2, "the trace has too few operations");
        Ok(trace)
    }

    /// Operations in it.
    pub(crate) fn len(&self) -> usize {
        self.latencies.len()
    }

    /// Standard deviation over mean of the gaps between scheduled arrivals; 1 for exponential gaps.
    pub(crate) fn variation_of_arrivals(&self) -> f64 {
        variation_of_gaps(&self.intended)
    }

    /// The same for the submissions, which show every delay by the machine.
    pub(crate) fn variation_of_submissions(&self) -> f64 {
        variation_of_gaps(&self.submitted)
    }

    /// How far `reported` is from the latency of that rank, as a share of the latter.
    pub(crate) fn error_of_percentile(&self, part: f64, reported: f64) -> f64 {
        let rank = (part * self.latencies.len() as f64).ceil() as usize;
        let exact = self.latencies[rank.clamp(1, self.latencies.len()) - 1] as f64;
        (reported / exact.max(1.0) - 1.0).abs()
    }
}

fn variation_of_gaps(sorted: &[u64]) -> f64 {
    let gaps: Vec<f64> = sorted.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    variance.sqrt() / mean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(text: &str) -> Result<Trace> {
        Trace::parse(text.lines().map(|line| Ok(line.to_owned())))
    }

    /// Lines are written when operations end, so they are not in the order of submission.
    const TRACE: &str = "index\tintended_ns\tsubmit_ns\tlatency_ns\n1\t20\t22\t300\n0\t10\t11\t100\n\
        2\t30\t37\t200\n3\t40\t41\t400\n";

    #[test]
    fn even_arrivals_have_no_variation_and_late_submissions_some() {
        let trace = trace(TRACE).expect("a trace");
        assert_eq!(trace.len(), 4);
        assert_eq!(trace.variation_of_arrivals(), 0.0);
        // Gaps of 11, 15 and 4: mean 10, variance 62/3.
        assert!((trace.variation_of_submissions() - (62.0_f64 / 3.0).sqrt() / 10.0).abs() < 1e-12);
    }

    #[test]
    fn a_percentile_is_the_latency_of_its_rank() {
        let trace = trace(TRACE).expect("a trace");
        assert_eq!(trace.error_of_percentile(0.5, 200.0), 0.0);
        assert_eq!(trace.error_of_percentile(0.5, 202.0), 0.010_000_000_000_000_009);
        assert_eq!(trace.error_of_percentile(0.51, 300.0), 0.0);
        assert_eq!(trace.error_of_percentile(0.999, 380.0), 0.050_000_000_000_000_044);
    }

    #[test]
    fn a_trace_that_cannot_be_read_says_why() {
        assert!(trace("").is_err());
        assert!(trace("index\tintended_ns\n").expect_err("no column").to_string().contains("submit_ns"));
        assert!(trace("intended_ns\tsubmit_ns\tlatency_ns\n1\t2\n").is_err());
        assert!(trace("intended_ns\tsubmit_ns\tlatency_ns\n1\t2\tx\n").is_err());
    }
}
