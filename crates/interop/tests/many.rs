//! Files with very many lines: the work is proportional to the number of lines, whether they are imported or refused.

mod support;

use std::fmt::Write as _;

use drivelab_interop::{fio, vdbench};
use rustix::time::{ClockId, clock_gettime};

/// Most mistakes that are shown.
const SHOWN: usize = 50;

/// CPU time of this thread, in nanoseconds. /proc counts in ticks of 4 ms, a tenth of the time of the smaller text.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).expect("a time") * 1_000_000_000 + u64::try_from(time.tv_nsec).expect("a time")
}

/// Imports the text, and renders the mistakes if it is refused.
fn imports(tool: Tool, text: &str) -> Result<String, String> {
    let around = support::around();
    let done = match tool {
        Tool::Vdbench => vdbench::import("many.parm", text, &around),
        Tool::Fio => fio::import("many.fio", text, &around),
    };
    done.map(|imported| imported.toml).map_err(|wrong| wrong.render(false))
}

/// The CPU time of an import, and of the check of the methodology that it makes, as `methods import` does both; the
/// minimum of several tries.
fn cost_ns(kind: &Kind, count: usize, times: usize) -> u64 {
    let text = (kind.text)(count);
    let one = || {
        let began = cpu_ns();
        let done = imports(kind.tool, &text);
        if let (true, Ok(toml)) = (kind.checked, &done) {
            drivelab_method::parse("many.toml", toml).unwrap_or_else(|wrong| panic!("{}: {wrong}", kind.what));
        }
        let cost = cpu_ns() - began;
        match done {
            Ok(_) => assert!(kind.right, "{}: it is wrong", kind.what),
            Err(said) => {
                assert!(!kind.right, "{}: {said}", kind.what);
                assert!(said.matches("error: ").count() <= SHOWN, "{}: no more are shown", kind.what);
            }
        }
        cost
    };
    (0..times).map(|_| one()).min().unwrap_or_default()
}

#[derive(Clone, Copy)]
enum Tool {
    Vdbench,
    Fio,
}

/// A kind of file.
struct Kind {
    /// What it has many of.
    what: &'static str,
    tool: Tool,
    /// Whether it can be imported.
    right: bool,
    /// Whether the resulting methodology is checked too.
    checked: bool,
    /// A text with this many of them.
    text: fn(usize) -> String,
}

const fn right(what: &'static str, tool: Tool, text: fn(usize) -> String) -> Kind {
    Kind { what, tool, right: true, checked: false, text }
}

const fn wrong(what: &'static str, tool: Tool, text: fn(usize) -> String) -> Kind {
    Kind { what, tool, right: false, checked: false, text }
}

/// A kind whose methodology is checked too.
const fn checked(what: &'static str, tool: Tool, text: fn(usize) -> String) -> Kind {
    Kind { what, tool, right: true, checked: true, text }
}

/// Lines between a first and a last one, each with its number in place of `#`.
fn lines(first: &str, line: &str, last: &str, count: usize) -> String {
    let mut text = format!("{first}\n");
    for number in 0..count {
        let _ = writeln!(text, "{}", line.replace('#', &number.to_string()));
    }
    text + last + "\n"
}

const STORAGE: &str = "sd=sd1,lun=/tmp/x,size=1g";
const WORKLOAD: &str = "sd=sd1,lun=/tmp/x,size=1g\nwd=w1,sd=sd1";
const JOB: &str = "[a]\nsize=1g";
const RUN: &str = "rd=r,wd=w*,elapsed=1";

/// Pairs of concurrent jobs, of which the first one ends the second.
const PAIR: &str = "[j#]\nstonewall\nrw=read\n[k#]\nrw=randread\nruntime=9";
const ONE_FILE: &str = "[global]\nfilename=x\nsize=1m";

fn kinds() -> [Kind; 15] {
    let (vdbench, fio) = (Tool::Vdbench, Tool::Fio);
    [
        right("workloads", vdbench, |count| lines(STORAGE, "wd=w#,sd=sd1", RUN, count)),
        right("workloads of one name", vdbench, |count| lines(STORAGE, "wd=w,sd=sd1", RUN, count)),
        right("runs", vdbench, |count| lines(WORKLOAD, "rd=r#,wd=w1,elapsed=1#", "", count)),
        right("parameters of one workload", vdbench, |count| lines(WORKLOAD, "key#=1", RUN, count)),
        wrong("values that are none", vdbench, |count| lines(STORAGE, "wd=w#,sd=sd1,rdpct=abc", RUN, count)),
        wrong("names of nothing", vdbench, |count| lines(STORAGE, "wd=w#,sd=none#", RUN, count)),
        right("jobs of one name", fio, |count| lines("[global]", "[j]\nrw=randread\nstonewall\nsize=1g", "", count)),
        checked("jobs behind barriers", fio, |count| lines("", "[j#]\nstonewall\nrw=read\nsize=1m", "", count)),
        checked("jobs of one file", fio, |count| lines(ONE_FILE, "[j#]\nstonewall\nrw=write", "", count)),
        right("jobs that wait for one", fio, |count| lines(JOB, "[j#]\nwait_for=a\nsize=1m", "", count)),
        right("jobs that wait for one before them", fio, |count| {
            lines("", "[j]\nsize=1m\n[j]\nwait_for=j\nsize=1m", "", count)
        }),
        right("pairs of jobs", fio, |count| lines(ONE_FILE, PAIR, "", count)),
        right("jobs that are left out", fio, |count| lines(JOB, "[j#]\nioengine=net\nrw=randread", "", count)),
        right("unknown options", fio, |count| lines(JOB, "key#=1", "", count)),
        wrong("values that are none", fio, |count| lines(JOB, "rw=xyz", "", count)),
    ]
}

/// Quadratic work takes a hundred times as long in every try. Other programs on the machine slow the larger text down
/// by some part, and not in every try.
const TRIES: usize = 5;

#[test]
#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more")]
fn ten_times_the_lines_take_at_most_fifteen_times_the_time() {
    for kind in kinds() {
        // So many that neither text fits in the caches: with less, the larger one takes longer by that alone.
        let mut count = 500;
        while cost_ns(&kind, count, 1) < 100_000_000 && count < 128_000 {
            count *= 2;
        }
        let mut least = f64::INFINITY;
        for attempt in 1..=TRIES {
            let (few, many) = (cost_ns(&kind, count, 3), cost_ns(&kind, 10 * count, 2));
            let times = many as f64 / few as f64;
            println!("{}: {count} of them {few} ns, ten times as many {many} ns: {times:.1} ({attempt})", kind.what);
            least = least.min(times);
            if least <= 15.0 {
                break;
            }
        }
        assert!(least <= 15.0, "{}: ten times the lines took {least:.1} times as long at the least", kind.what);
    }
}
