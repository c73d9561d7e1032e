//! Whether other programs have the CPUs, by two measures: how many threads want to run at this moment, and who had the
//! CPUs meanwhile.

use std::time::Duration;

/// Share of the CPUs from which on other programs disturb a job that keeps a pace.
pub const BUSY: f64 = 0.5;
/// Readings of how many threads want to run, and the time between two of them.
const READINGS: u32 = 20;
const APART: Duration = Duration::from_millis(5);

/// Whether other programs want that share of the CPUs right now. Only the caller of this test may be active meanwhile:
/// it is one of the threads that run while it reads.
pub fn wanted() -> bool {
    let mut running = 0;
    for _ in 0..READINGS {
        std::thread::sleep(APART);
        running += running_now().saturating_sub(1);
    }
    f64::from(running) / f64::from(READINGS) >= BUSY * cpus()
}

/// Threads of the whole machine that run or are ready to run.
fn running_now() -> u32 {
    let text = read("/proc/loadavg");
    let field = text.split(' ').nth(3).and_then(|field| field.split('/').next());
    field.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("no running threads in {text}"))
}

/// CPU time since a moment, in ticks of the kernel.
pub struct Watch {
    /// Of all CPUs together, including idle time.
    passed: u64,
    /// The part of it that somebody used; time taken by the hypervisor counts as used.
    taken: u64,
    /// The part of this process and of the children that it waited for.
    own: u64,
}

impl Watch {
    /// Starts now.
    pub fn begin() -> Watch {
        let ticks = all_ticks();
        // User, nice, system, idle, waiting for a disk, interrupts, soft interrupts, stolen; guest times are in the
        // first two.
        let idle = ticks[3] + ticks[4];
        let passed = ticks.iter().take(8).sum::<u64>();
        Watch { passed, taken: passed - idle, own: own_ticks() }
    }

    /// How much other programs had since then, as a share of the CPUs that this test may use.
    pub fn others(&self) -> f64 {
        let now = Watch::begin();
        let others = (now.taken - self.taken).saturating_sub(now.own - self.own);
        // The kernel counts idle time separately, and the count does not always increase.
        let of_one = now.passed.saturating_sub(self.passed).max(1) as f64 / machine_cpus();
        others as f64 / of_one / cpus()
    }
}

fn all_ticks() -> Vec<u64> {
    let text = read("/proc/stat");
    let line = text.lines().next().unwrap_or_default();
    let ticks: Vec<u64> = line.split_whitespace().skip(1).filter_map(|field| field.parse().ok()).collect();
    assert!(line.starts_with("cpu ") && ticks.len() >= 8, "no times of all CPUs: {line}");
    ticks
}

/// User and system time of this process and of its children, the 14th to the 17th field (proc(5)).
fn own_ticks() -> u64 {
    let text = read("/proc/self/stat");
    // The second field is the program's name, which may contain any character.
    let (_, rest) = text.rsplit_once(')').expect("a name in brackets");
    let fields: Vec<u64> = rest.split_whitespace().skip(11).take(4).filter_map(|field| field.parse().ok()).collect();
    assert_eq!(fields.len(), 4, "no CPU times in {text}");
    fields.iter().sum()
}

/// CPUs that this test may use.
fn cpus() -> f64 {
    std::thread::available_parallelism().map_or(1, usize::from) as f64
}

fn machine_cpus() -> f64 {
    let text = read("/proc/stat");
    let is_one = |line: &&str| {
        line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
    };
    text.lines().filter(is_one).count().max(1) as f64
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}
