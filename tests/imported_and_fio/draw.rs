//! Draws job files from the table: each option at least once in the first thirty, each option with each of its jobs in
//! 300.

use super::options::{ON_DEVICE, ROWS, Row, WORDS};

/// Jobs after barriers in a file.
const BATCHES: usize = 4;

/// A reproducible sequence of random numbers (splitmix64).
pub struct Dice(pub u64);

impl Dice {
    /// The next number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).expect("below the limit")
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

/// A job of a file.
#[derive(Debug, Clone)]
pub struct Section {
    pub name: String,
    /// Options in order, as written.
    pub options: Vec<String>,
}

impl Section {
    /// The value of an option; the last one if it appears several times.
    pub fn get(&self, key: &str) -> Option<&str> {
        let value = |option: &'_ str| option.split_once('=').unwrap_or((option, "")).0 == key;
        let found = self.options.iter().rev().find(|option| value(option))?;
        Some(found.split_once('=').map_or("", |(_, value)| value))
    }

    pub fn jobs(&self) -> usize {
        self.get("numjobs").and_then(|text| text.parse().ok()).unwrap_or(1)
    }
}

/// A job file: batches of jobs with a barrier before each batch.
#[derive(Debug, Clone)]
pub struct JobFile {
    pub batches: Vec<Vec<Section>>,
    /// The options that were drawn, each with the job that it was drawn with.
    pub cases: Vec<(&'static str, &'static str)>,
    /// Whether it goes to a loop device.
    pub device: bool,
}

impl JobFile {
    /// An existing file: global options are repeated in each job, and a barrier is stated at each job.
    pub fn of_text(text: &str) -> JobFile {
        let mut batches: Vec<Vec<Section>> = Vec::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                if name != "global" {
                    batches.push(vec![Section { name: name.to_owned(), options: Vec::new() }]);
                }
            } else if let Some(section) = batches.last_mut().and_then(|batch| batch.last_mut()) {
                section.options.push(line.to_owned());
            }
        }
        JobFile { batches, cases: Vec::new(), device: false }
    }

    /// The text, with files in this folder.
    pub fn text(&self, folder: &str) -> String {
        let mut text = format!("[global]\nthread\ndirectory={folder}\n");
        if self.device {
            text = "[global]\nthread\n".to_owned();
        }
        for section in self.batches.iter().flatten() {
            text.push_str(&format!("[{}]\n{}\n", section.name, section.options.join("\n")));
        }
        text
    }
}

/// Every case: row and job.
fn cases(rows: &'static [Row]) -> Vec<(&'static Row, &'static str)> {
    rows.iter().flat_map(|row| row.jobs.iter().map(move |job| (row, *job))).collect()
}

fn shuffled<T>(mut all: Vec<T>, dice: &mut Dice) -> Vec<T> {
    for at in (1..all.len()).rev() {
        all.swap(at, dice.below(at + 1));
    }
    all
}

/// The cases of a series: first each row once, then every case, again and again.
fn endless(rows: &'static [Row], seed: u64) -> impl Iterator<Item = (&'static Row, &'static str)> {
    let mut dice = Dice(seed);
    let first = rows.iter().map(|row| (row, dice.one(row.jobs))).collect();
    let mut line = shuffled(first, &mut dice);
    std::iter::from_fn(move || {
        if line.is_empty() {
            line = shuffled(cases(rows), &mut dice);
        }
        line.pop()
    })
}

/// This many job files; the first and every tenth one use a loop device.
pub fn job_files(count: usize, seed: u64, devices: bool) -> Vec<JobFile> {
    let mut dice = Dice(seed ^ 2);
    let mut on_files = endless(&ROWS, seed);
    let mut on_device = endless(&ON_DEVICE, seed ^ 1);
    let mut kept = Vec::new();
    (0..count)
        .map(|number| {
            let device = devices && number % 10 == 0;
            let cases: Vec<_> = if device {
                on_device.by_ref().take(BATCHES).collect()
            } else {
                with_one_flow(&mut on_files, &mut kept)
            };
            job_file(&cases, device, &mut dice)
        })
        .collect()
}

/// The next cases, with at most one that has `flow`: fio counts flow across barriers, and one of two such jobs was
/// observed to wait for the other for ever. A postponed case is kept for the next file.
fn with_one_flow(
    cases: &mut impl Iterator<Item = (&'static Row, &'static str)>,
    kept: &mut Vec<(&'static Row, &'static str)>,
) -> Vec<(&'static Row, &'static str)> {
    let (mut found, mut later): (Vec<(&'static Row, &'static str)>, Vec<_>) = (Vec::new(), Vec::new());
    while found.len() < BATCHES {
        let case = kept.pop().unwrap_or_else(|| cases.next().expect("no end"));
        let flows = case.0.key == "flow" && found.iter().any(|(row, _)| row.key == "flow");
        if flows { later.push(case) } else { found.push(case) }
    }
    kept.extend(later);
    found
}

fn job_file(cases: &[(&'static Row, &'static str)], device: bool, dice: &mut Dice) -> JobFile {
    // Another job overtakes one that fio delays.
    let mut cases = cases.to_vec();
    cases.sort_by_key(|(row, _)| row.key == "startdelay");
    let mut batches: Vec<Vec<Section>> = Vec::new();
    for (at, (row, job)) in cases.iter().enumerate() {
        let (job, beside) = job.split_once('|').map_or((*job, None), |(job, beside)| (job, Some(beside)));
        let mut options: Vec<String> = job.split(';').map(|option| filled(option, dice)).collect();
        let value = filled(dice.one(row.values), dice).replace("BEFORE", &format!("job{}", at.saturating_sub(1)));
        let own = if value.is_empty() { row.key.to_owned() } else { format!("{}={value}", row.key) };
        let early = row.key != "wait_for" || at > 0;
        if early {
            options.push(own);
        }
        if at > 0 && !matches!(row.key, "wait_for" | "stonewall") {
            options.insert(0, "stonewall".to_owned());
        }
        let other = beside.map(|beside| Section {
            name: format!("job{at}-beside"),
            options: beside.split(';').map(|option| filled(option, dice)).collect(),
        });
        batches.push(std::iter::once(Section { name: format!("job{at}"), options }).chain(other).collect());
    }
    JobFile { batches, cases: cases.iter().map(|(row, job)| (row.key, *job)).collect(), device }
}

/// The text with each name in braces replaced by one of its words.
fn filled(text: &str, dice: &mut Dice) -> String {
    let mut out = text.replace("FILE", "shared");
    while let Some((before, rest)) = out.split_once('{') {
        let (name, behind) = rest.split_once('}').expect("a name ends");
        let (_, words) = WORDS.iter().find(|(word, _)| *word == name).expect("a known name");
        out = format!("{before}{}{behind}", dice.one(words));
    }
    out
}
