//! Measures a row: a warm-up of each side, then the sides in turn (A-B-A-B), pair by pair, until there are enough calm
//! pairs.
//!
//! A round in which other programs disturbed a side is measured again, both sides of it; a round is never dropped
//! because of its figure. If the machine does not become calm, the least disturbed rounds count and the row states
//! that.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::arguments::EngineArgs;
use super::cpus::{listed, online_cpus};
use super::devices::{Scratch, Zram};
use super::figures::Reading;
use super::judge;
use super::programs::{Places, Programs, TRACE};
use super::result::{Measured, Outcome, RowResult, Runs, Verdict};
use super::rows::{Row, Side, Value};
use super::statistics::{median, quantile, range};
use super::trace::Trace;
use super::watch::{self, Disturbance};

/// Rounds that may be measured per wanted round.
const MOST_TRIES: usize = 3;
/// How often a row without a conclusion is measured further.
const MOST_SERIES: usize = 3;
/// Time that a run may take beyond its own length.
const GRACE: Duration = Duration::from_secs(60);

/// One reading per side, taken together.
#[derive(Debug)]
struct Round {
    readings: Vec<Reading>,
    disturbance: Disturbance,
}

/// Measures rows.
#[derive(Debug)]
pub(crate) struct Bench {
    programs: Programs,
    scratch: Scratch,
    zram: Option<Zram>,
    cpus: Vec<usize>,
    runs: usize,
    seconds: u64,
    patience: Duration,
}

impl Bench {
    /// Prepares to measure; `folder` receives what runs leave behind, which is removed at the end.
    pub(crate) fn new(folder: &Path, programs: Programs, arguments: &EngineArgs) -> Result<Self> {
        let online = online_cpus();
        ensure!(online.contains(&arguments.cpu), "--cpu {}: online are {online:?}", arguments.cpu);
        let others = online.into_iter().filter(|cpu| *cpu != arguments.cpu);
        Ok(Bench {
            programs,
            scratch: Scratch::make(folder)?,
            zram: None,
            cpus: std::iter::once(arguments.cpu).chain(others).collect(),
            runs: arguments.runs,
            seconds: arguments.seconds,
            patience: Duration::from_secs(arguments.patience),
        })
    }

    /// The programs that are measured.
    pub(crate) const fn programs(&self) -> &Programs {
        &self.programs
    }

    /// Measures one row. Never returns an error: a problem becomes the row's result.
    pub(crate) fn row(&mut self, row: &'static Row) -> RowResult {
        let outcome = match self.prepare(row) {
            Err(why) => Outcome::LeftOut(format!("{why:#}")),
            Ok(places) => match self.measure(row, &places) {
                Ok(measured) => Outcome::Measured(Box::new(measured)),
                Err(error) => Outcome::Failed(format!("{error:#}")),
            },
        };
        RowResult { row, outcome }
    }

    /// Creates what the row needs; the error is the reason why it is left out.
    fn prepare(&mut self, row: &Row) -> Result<Places> {
        for side in row.sides {
            if let Some(why) = self.programs.lacks(side) {
                anyhow::bail!(why);
            }
            ensure!(side.threads <= self.cpus.len(), "needs {} CPUs, there is {}", side.threads, self.cpus.len());
        }
        let needs_zram = row.sides.iter().any(|side| side.line.contains("{zram}"));
        if !needs_zram {
            // Two GiB of memory are released before rows that do not need them.
            self.zram = None;
        } else if self.zram.is_none() {
            self.zram = Some(Zram::make()?);
        }
        let zram = self.zram.as_ref().map(Zram::path);
        Ok(Places {
            zram,
            bundle: self.scratch.bundle(),
            trace: self.scratch.trace(),
            ring_file: self.scratch.ring_file(),
        })
    }

    fn measure(&self, row: &Row, places: &Places) -> Result<Measured> {
        let mut patience = self.patience;
        self.round(row, places, 1, 0).context("warm-up")?;
        let (mut kept, mut taken) = (Vec::new(), 0);
        for series in 1.. {
            taken += self.series(row, places, &mut patience, &mut kept)?;
            let measured = self.summary(row, &kept, taken)?;
            if series == MOST_SERIES || !matches!(measured.verdict, Verdict::NoConclusion(_)) {
                return Ok(measured);
            }
        }
        anyhow::bail!("no series was taken")
    }

    /// Adds as many rounds as were asked for to `kept`; returns how many were measured for that.
    fn series(&self, row: &Row, places: &Places, patience: &mut Duration, kept: &mut Vec<Round>) -> Result<usize> {
        let (mut calm, mut spoilt, mut taken) = (Vec::new(), Vec::new(), 0);
        while calm.len() < self.runs && taken < self.runs * MOST_TRIES {
            watch::wait_for_calm(patience);
            let round = self.round(row, places, self.seconds, kept.len() + taken + 1)?;
            taken += 1;
            if round.disturbance.is_calm() { calm.push(round) } else { spoilt.push(round) }
        }
        spoilt.sort_by(|a, b| a.disturbance.degree().total_cmp(&b.disturbance.degree()));
        spoilt.truncate(self.runs - calm.len());
        kept.append(&mut calm);
        kept.append(&mut spoilt);
        Ok(taken)
    }

    /// Runs each side once; rounds with random schedules differ by their number.
    fn round(&self, row: &Row, places: &Places, seconds: u64, number: usize) -> Result<Round> {
        let mut round = Round { readings: Vec::new(), disturbance: Disturbance::default() };
        for side in row.sides {
            let cpus = &self.cpus[..side.threads];
            let mut command = self.programs.command(side, &listed(cpus), seconds, places, number);
            // fio leaves files in its current folder.
            command.current_dir(self.scratch.folder());
            let shown = || self.shown(side);
            let watched = watch::run(command, cpus, Duration::from_secs(seconds) + GRACE).with_context(shown)?;
            let reading = self.read(side, &watched.printed);
            self.scratch.forget_results();
            round.readings.push(reading.with_context(shown)?);
            round.disturbance = round.disturbance.worse(watched.disturbance);
        }
        Ok(round)
    }

    /// A run's output and its trace.
    fn read(&self, side: &Side, printed: &str) -> Result<Reading> {
        let reading = Reading::parse(side.who, printed)?;
        if side.line.contains(TRACE) { reading.with_trace(&Trace::read(&self.scratch.trace())?) } else { Ok(reading) }
    }

    fn shown(&self, side: &Side) -> String {
        self.programs.shown(side, &listed(&self.cpus[..side.threads]), self.seconds)
    }

    fn summary(&self, row: &Row, rounds: &[Round], taken: usize) -> Result<Measured> {
        let mut sides = Vec::new();
        for (at, side) in row.sides.iter().enumerate() {
            let readings: Vec<Reading> = rounds.iter().map(|round| round.readings[at].clone()).collect();
            let figures = readings.iter().map(|reading| reading.figure(side.figure)).collect::<Result<Vec<f64>>>()?;
            sides.push(Runs { command: self.shown(side), figure: side.figure, figures, readings });
        }
        let medians: Vec<f64> = sides.iter().map(|runs| median(&runs.figures)).collect();
        let each: Vec<f64> = (0..rounds.len())
            .map(|round| combine(row.value, &sides.iter().map(|runs| runs.figures[round]).collect::<Vec<f64>>()))
            .collect();
        let value = combine(row.value, &medians);
        let is_error = matches!(row.value, Value::Error { .. });
        let worst = rounds.iter().map(|round| round.disturbance).fold(Disturbance::default(), Disturbance::worse);
        Ok(Measured {
            value,
            peer_value: medians.get(1).filter(|_| is_error).map(|peer| combine(row.value, &[*peer])),
            spread: range(&each),
            middle: (quantile(&each, 0.25), quantile(&each, 0.75)),
            rounds_taken: taken,
            rounds_disturbed: rounds.iter().filter(|round| !round.disturbance.is_calm()).count(),
            disturbance: worst,
            verdict: judge::judge(row.limit, value, &each),
            sides,
        })
    }
}

/// The value of one figure per side.
fn combine(value: Value, figures: &[f64]) -> f64 {
    let at = |index: usize| figures.get(index).copied().unwrap_or(f64::NAN);
    match value {
        Value::Figure => at(0),
        Value::Ratio => at(0) / at(1),
        Value::Scaling => (at(1) / at(0)) / (at(3) / at(2)),
        Value::Error { asked } => (at(0) / asked - 1.0).abs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_become_the_value_that_the_row_is_about() {
        assert_eq!(combine(Value::Figure, &[31.0]), 31.0);
        assert_eq!(combine(Value::Ratio, &[6.0, 4.0]), 1.5);
        // Ours from 10 to 18, theirs from 10 to 20: nine tenths of their scaling.
        assert_eq!(combine(Value::Scaling, &[10.0, 18.0, 10.0, 20.0]), 0.9);
        assert!((combine(Value::Error { asked: 1000.0 }, &[990.0, 700.0]) - 0.01).abs() < 1e-12);
        assert!(combine(Value::Ratio, &[6.0]).is_nan());
    }
}
