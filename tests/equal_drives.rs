//! How often `drivelab compare` calls equal drives different, and how often it finds a gap of 3 %: pairs of throttled
//! loop devices, three runs of each in mixed order, whose limits scatter from run to run as drives do.
//!
//! A tenth of the pairs here; `DRIVELAB_RATIOS=all` takes all of them (docs/how-it-is-tested.md has the counts).

mod support;

use drivelab_rig::{LoopDevice, Throttle, root_or_skip};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value;
use support::Lab;

const DRIVELAB: &str = env!("CARGO_BIN_EXE_drivelab");
/// The limit of both devices, in bytes per second.
const LIMIT: f64 = (64 << 20) as f64;
/// Runs of each device of a pair.
const RUNS: usize = 3;

/// Two devices with a limit each.
struct Pair {
    lab: Lab,
    disks: Vec<(LoopDevice, Throttle)>,
    random: Xoshiro256PlusPlus,
    pairs: usize,
}

/// What the comparison of a pair said.
#[derive(Debug)]
struct Said {
    verdict: String,
    ratio: f64,
    /// The smallest ratio that it would have shown, with a probability of 95 %.
    detectable: Option<f64>,
}

impl Said {
    fn is_different(&self) -> bool {
        ["better", "worse"].contains(&self.verdict.as_str())
    }
}

impl Pair {
    fn new_or_skip() -> Option<Pair> {
        if !root_or_skip("throttled loop devices") || !Throttle::possible_or_skip() {
            return None;
        }
        let disk = || LoopDevice::in_memory_or_skip(16).map(|disk| (Throttle::new(&disk.numbers()), disk));
        let disks = [disk()?, disk()?].map(|(throttle, disk)| (disk, throttle)).into();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        let seed = now.as_secs();
        println!("seed {seed}");
        Some(Pair { lab: Lab::new(), disks, random: Xoshiro256PlusPlus::seed_from_u64(seed), pairs: 0 })
    }

    /// A number from 0 to below 1.
    fn drawn(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Three runs of each device in mixed order, and what is said of the second against the first. The limit of a run
    /// is off by up to `scatter` in either direction; that of the second device is `gap` times that of the first.
    fn compared(&mut self, gap: f64, scatter: f64, time: &str) -> Said {
        self.pairs += 1;
        let pair = self.pairs;
        let tag = |disk: usize| format!("pair-{pair}-{disk}");
        let mut order: Vec<usize> = (0..2 * RUNS).map(|run| run % 2).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, (self.drawn() * (at + 1) as f64) as usize);
        }
        for disk in order {
            let off = scatter * (2.0 * self.drawn() - 1.0);
            let limit = LIMIT * (1.0 + off) * if disk == 1 { gap } else { 1.0 };
            let (device, throttle) = &self.disks[disk];
            throttle.limit("read_bps", limit as u64);
            let mut command = throttle.command(DRIVELAB);
            let load = ["io", &device.device, "--pattern", "sequential", "--block", "256k", "--qd", "4"];
            self.lab.dress(&mut command).args(load).args(["--time", time, "--quiet"]);
            assert!(command.output().expect("drivelab starts").status.success());
            let newest = self.lab.runs()[0].0.clone();
            self.lab.ok(&["results", "tag", &newest, &tag(disk)]);
        }
        let words = [0, 1].map(|disk| format!("tag={}", tag(disk)));
        let document = self.lab.json(&["compare", &words[0], &words[1], "--json"]);
        let figures = document["groups"][0]["tests"][0]["steps"][0]["figures"].as_array().expect("figures");
        let rate = figures.iter().find(|figure| figure["headline"] == true).expect("a headline figure");
        let cell = &rate["cells"][1];
        let said = Said {
            verdict: cell["verdict"].as_str().expect("a verdict").to_owned(),
            ratio: cell["ratio"].as_f64().unwrap_or(f64::NAN),
            detectable: cell["detectable"].as_f64(),
        };
        println!("gap {gap}, scatter {scatter}: {said:?}, {}", values(&rate["cells"]));
        said
    }
}

/// The values of all sides, for the log.
fn values(cells: &Value) -> String {
    let value = |cell: &Value| format!("{:.2} MB/s", cell["value"].as_f64().unwrap_or(f64::NAN));
    cells.as_array().expect("cells").iter().map(value).collect::<Vec<_>>().join(" and ")
}

fn is_long() -> bool {
    std::env::var_os("DRIVELAB_RATIOS").is_some_and(|word| word == "all")
}

#[test]
fn two_equal_drives_are_called_different_in_at_most_a_tenth_of_the_pairs() {
    let Some(mut pair) = Pair::new_or_skip() else { return };
    let pairs = if is_long() { 100 } else { 10 };
    // A uniform scatter of 3.5 % has a deviation of 2 %. Without it, only the loop devices' own scatter is left.
    let said: Vec<Said> =
        (0..pairs).map(|at| pair.compared(1.0, if at % 2 == 0 { 0.035 } else { 0.0 }, "500ms")).collect();
    let different = said.iter().filter(|said| said.is_different()).count();
    println!("{different} of {pairs} equal pairs were called different");
    // By chance one pair in twenty: more than 3 of 10 come once in a thousand runs of this test.
    let most = if is_long() { pairs / 10 } else { 3 };
    assert!(different <= most, "{said:?}");
}

#[test]
fn a_gap_that_would_be_shown_is_shown() {
    let Some(mut pair) = Pair::new_or_skip() else { return };
    let pairs = if is_long() { 50 } else { 5 };
    // A throttle is exact over a second; over half of one, few pairs would show so little.
    let said: Vec<Said> = (0..pairs).map(|_| pair.compared(1.03, 0.001, "1s")).collect();
    let able: Vec<&Said> = said.iter().filter(|said| said.detectable.is_some_and(|least| least <= 1.03)).collect();
    let found = able.iter().filter(|said| said.is_different() && said.ratio > 1.0).count();
    println!("{pairs} pairs with a gap of 3 %: detectable in {}, found in {found} of these", able.len());
    assert!(said.iter().all(|said| said.verdict != "worse"), "the second device is faster: {said:?}");
    assert!(able.len() >= pairs / 2 || !is_long(), "few pairs could have shown it: {said:?}");
    assert!(able.len() - found <= 1 + able.len() * 6 / 50, "{said:?}");
}
