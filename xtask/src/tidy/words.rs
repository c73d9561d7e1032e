//! Rule *words*: which words code must not use, where they are allowed anyway, and what to use instead.
//!
//! Code rules look at code without comments and strings; text rules look at every line of every text file.

use super::Complaint;
use crate::source::SourceFile;

/// Where a word of code is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Product code: test modules and test files may use it.
    Product,
    /// All Rust code.
    All,
}

/// A word that code must not use.
struct CodeWord {
    word: &'static str,
    scope: Scope,
    /// Path prefixes where it is allowed, each with the reason in `why` or beside it.
    allowed: &'static [&'static str],
    why: &'static str,
    todo: &'static str,
}

const fn word(
    word: &'static str,
    scope: Scope,
    allowed: &'static [&'static str],
    why: &'static str,
    todo: &'static str,
) -> CodeWord {
    CodeWord { word, scope, allowed, why, todo }
}

/// Crates that own a terminal, and where a test prints why it is skipped. Build scripts print to cargo on stdout and
/// are recognised by name.
const TERMINAL: &[&str] = &["crates/cli/", "crates/rig/src/skip.rs", "xtask/"];
const NO_TERMINAL: &str = "only cli owns stdout and stderr; a stray line breaks `--json`";
const PASS_IT_ON: &str = "return the text, or emit an event";

/// Who may look at a clock directly.
const CLOCKS: &[&str] = &[
    // The run clock itself, and what it times: single operations.
    "crates/core/src/base/clock.rs",
    // The time of day, from one place.
    "crates/core/src/base/wall.rs",
    "crates/engine/",
    // Screens are paced for people, checks for developers.
    "crates/cli/",
    "xtask/",
    // The recorder flushes by real time, whatever the drive's clock is; seals and broken catalogs get a date.
    "crates/store/src/recorder.rs",
    "crates/store/src/seal.rs",
    "crates/store/src/catalog/sql.rs",
    // The look at the host before a run.
    "crates/device/src/host/testbed.rs",
    "crates/device/src/host/timing.rs",
];
/// Who may wait by itself.
const WAITING: &[&str] = &[
    "crates/core/src/base/clock.rs",
    // Between operations of a step whose times were fixed in advance.
    "crates/engine/src/clock/wait.rs",
    // Half a second between two looks at the host's counters, before a run has a clock.
    "crates/device/src/host/testbed.rs",
    // Short waits for a lock that another process is about to release.
    "crates/store/src/lock.rs",
    // A test waits until the kernel releases a loop device.
    "crates/rig/src/loop_device.rs",
    // The bench looks at running programs every 100 ms and waits for a calm machine.
    "xtask/src/bench/watch.rs",
];
const ONE_CLOCK: &str = "a virtual drive runs in virtual time, so time comes from core::clock";

/// The places with `unsafe` (style.md rule 20): the ring, memory shared with the kernel, the time-stamp counter, and
/// calls that rustix does not wrap or declares unsafe.
const UNSAFE_PLACES: &[&str] = &[
    "crates/engine/src/uring/ring.rs",
    "crates/engine/src/memory/buffer.rs",
    "crates/engine/src/host/rusage.rs",
    "crates/engine/src/clock/tsc.rs",
    "crates/engine/src/sync/discard.rs",
    // Discards and zeroes of a whole device.
    "crates/device/src/wipe/ioctl.rs",
    // Commands to an ATA drive through SG_IO.
    "crates/ata/src/sg_io.rs",
    // A thread's own table of files.
    "crates/engine/src/host/own_files.rs",
    // Commands to NVMe controllers.
    "crates/nvme/src/commands/bar.rs",
    "crates/nvme/src/commands/ioctl.rs",
    // Threads of a step that may have to be left behind.
    "crates/engine/src/step/crew.rs",
    // A test's allocator that counts.
    "crates/engine/tests/no_allocation.rs",
    // A test that denies itself io_uring through prctl(2).
    "crates/engine/tests/refused.rs",
];

/// Tests that people or other tests start by name, and that check nothing by themselves.
const STARTED_BY_NAME: &[&str] = &[
    // Writes the golden bundle of a new format version.
    "crates/store/src/tests/kill.rs",
    // The panel as a separate program, for the test in a real terminal.
    "crates/cli/src/screens/panel/tests.rs",
];

const NOT_FINISHED: &str = "the tree holds finished code";
const FINISH: &str = "finish it, or refuse it with a clear error and open an issue";
const ONE_WORD: &str = "one thing has one word, end to end (DESIGN.md, 'Words')";

const CODE_WORDS: &[CodeWord] = &[
    word("println!", Scope::Product, TERMINAL, NO_TERMINAL, PASS_IT_ON),
    word("print!", Scope::Product, TERMINAL, NO_TERMINAL, PASS_IT_ON),
    word("eprintln!", Scope::Product, TERMINAL, NO_TERMINAL, PASS_IT_ON),
    word("eprint!", Scope::Product, TERMINAL, NO_TERMINAL, PASS_IT_ON),
    word("Instant::now", Scope::Product, CLOCKS, ONE_CLOCK, "take a RunClock or a time as parameter"),
    word("SystemTime::now", Scope::Product, CLOCKS, ONE_CLOCK, "take the time as parameter"),
    word("thread::sleep", Scope::Product, WAITING, ONE_CLOCK, "use RunClock::sleep_until"),
    word(
        "unsafe",
        Scope::All,
        UNSAFE_PLACES,
        "unsafe code lives in few, small, reviewed places",
        "use rustix or move it there",
    ),
    word("dbg!", Scope::All, &[], "a leftover of debugging", "remove it"),
    word("todo!", Scope::All, &[], NOT_FINISHED, FINISH),
    word("unimplemented!", Scope::All, &[], NOT_FINISHED, FINISH),
    word(
        "#[ignore",
        Scope::All,
        STARTED_BY_NAME,
        "an ignored test protects nothing",
        "print `skipped: why` at run time, or remove it",
    ),
    word("iodepth", Scope::All, &[], ONE_WORD, "say queue_depth"),
    word("qd", Scope::All, &[], ONE_WORD, "say queue_depth"),
    word("numjobs", Scope::All, &[], ONE_WORD, "say threads"),
    word("blocksize", Scope::All, &[], ONE_WORD, "say block_size"),
    word("block_len", Scope::All, &[], ONE_WORD, "say block_size"),
    word("benchmark", Scope::Product, &[], ONE_WORD, "say methodology, test or step"),
];

/// A text that no file may contain.
struct Text {
    text: &'static str,
    why: &'static str,
    todo: &'static str,
}

const OTHER_MACHINE: &str = "the path is of one machine and means nothing on another";
const RELATIVE: &str = "make it relative, or use a folder from the environment";
const HOST: &str = "which registry serves a package is the machine's setting, not the project's";
const BY_NAME: &str = "use the ordinary client by package name";

const TEXTS: &[Text] = &[
    Text { text: "/root/", why: OTHER_MACHINE, todo: RELATIVE },
    Text { text: "/home/", why: OTHER_MACHINE, todo: RELATIVE },
    Text { text: "/work/", why: OTHER_MACHINE, todo: RELATIVE },
    Text { text: "index.crates.io", why: HOST, todo: BY_NAME },
    Text { text: "static.crates.io", why: HOST, todo: BY_NAME },
    Text { text: "registry.npmjs.org", why: HOST, todo: BY_NAME },
    Text { text: "deb.debian.org", why: HOST, todo: BY_NAME },
    Text { text: "pypi.org", why: HOST, todo: BY_NAME },
    Text { text: "FIXME", why: NOT_FINISHED, todo: FINISH },
    Text { text: "XXX", why: NOT_FINISHED, todo: FINISH },
];

/// Lines that text rules accept: the path and a text of the line, with the reason.
const LINE_EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "crates/device/src/place/mounts.rs",
    "/home/",
    "a sample of the kernel's mount table; the folder is everywhere",
)];

/// Files that text rules do not read.
const TEXT_EXCEPTIONS: &[(&str, &str)] = &[
    ("xtask/src/tidy/words.rs", "it holds the list itself"),
    ("Cargo.lock", "written by cargo, which names the index it used"),
    ("web/package-lock.json", "written by npm, which may name where it found a package"),
];

/// Checks one file.
pub(crate) fn check(file: &SourceFile) -> Vec<Complaint> {
    let mut complaints = code_words(file);
    if !TEXT_EXCEPTIONS.iter().any(|(path, _)| *path == file.path) {
        complaints.extend(texts(file));
    }
    complaints
}

fn code_words(file: &SourceFile) -> Vec<Complaint> {
    let build_script = file.path.ends_with("build.rs");
    let mut complaints = Vec::new();
    for (index, line) in file.rust.iter().enumerate() {
        for entry in CODE_WORDS.iter().filter(|entry| contains_word(&line.code, entry.word)) {
            let excused = (entry.scope == Scope::Product && line.test)
                || (build_script && entry.why == NO_TERMINAL)
                || entry.allowed.iter().any(|prefix| file.path.starts_with(prefix));
            if !excused {
                let what = format!("`{}`", entry.word);
                complaints.push(Complaint::new(&file.path, index + 1, "words", &what, entry.why, entry.todo));
            }
        }
    }
    complaints
}

fn texts(file: &SourceFile) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (number, line) in file.lines() {
        for Text { text, why, todo } in TEXTS.iter().filter(|entry| contains_word(line, entry.text)) {
            if LINE_EXCEPTIONS.iter().any(|(path, excused, _)| *path == file.path && excused == text) {
                continue;
            }
            complaints.push(Complaint::new(&file.path, number, "words", &format!("`{text}`"), why, todo));
        }
    }
    complaints
}

/// Whether `word` is in `line` as a whole word, not as a part of a longer word or path. A word that ends in `!` or `/`
/// already has its end.
fn contains_word(line: &str, word: &str) -> bool {
    let inside = |sign: char| sign.is_alphanumeric() || sign == '_';
    let path_before = |sign: char| inside(sign) || matches!(sign, '.' | '-' | '*' | '/' | '}' | '~' | '$');
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let starts = if word.starts_with('/') { !before.is_some_and(path_before) } else { !before.is_some_and(inside) };
        let ends = !word.ends_with(|sign: char| inside(sign)) || !after.is_some_and(inside);
        starts && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(usize, String)> {
        check(&SourceFile::new(path, text)).into_iter().map(|c| (c.line, c.what)).collect()
    }

    #[test]
    fn printing_belongs_to_the_rooms_with_a_terminal() {
        let text = "fn f() {\n    println!(\"x\");\n}\n#[cfg(test)]\nmod tests {\n    fn g() { eprintln!(\"x\") }\n}\n";
        assert_eq!(found("crates/session/src/a.rs", text), [(2, "`println!`".to_owned())]);
        assert!(found("crates/cli/src/a.rs", text).is_empty());
        assert!(found("crates/report/build.rs", text).is_empty());
        assert!(found("crates/engine/tests/a.rs", text).is_empty());
    }

    #[test]
    fn the_longer_word_is_not_the_shorter_one() {
        assert_eq!(found("crates/session/src/a.rs", "eprintln!(\"x\");\n"), [(1, "`eprintln!`".to_owned())]);
        assert!(found("crates/session/src/a.rs", "#![forbid(unsafe_code)]\nlet sqd = 1;\n").is_empty());
    }

    #[test]
    fn time_and_waiting_have_their_places() {
        let text = "let a = Instant::now();\nstd::thread::sleep(b);\n";
        assert_eq!(found("crates/session/src/a.rs", text).len(), 2);
        assert!(found("crates/core/src/base/clock.rs", text).is_empty());
    }

    #[test]
    fn leftovers_are_found_in_tests_too() {
        let text = "#[cfg(test)]\nmod tests {\n    #[ignore = \"slow\"]\n    fn a() { dbg!(1); todo!() }\n}\n";
        assert_eq!(found("crates/session/src/a.rs", text).len(), 3);
    }

    #[test]
    fn words_of_other_tools_are_refused_in_code_and_allowed_in_prose() {
        assert_eq!(found("crates/method/src/a.rs", "let iodepth = 4; // as fio's numjobs\n").len(), 1);
        assert!(found("docs/a.md", "fio calls it iodepth\n").is_empty());
    }

    #[test]
    fn paths_of_one_machine_are_found_in_any_text() {
        assert_eq!(found("docs/a.md", "see `/home/anna/x` and /work/y\n").len(), 2);
        assert!(found("docs/a.md", "the frame/work/of it, web/home/page, $DIR/root/x\n").is_empty());
        assert_eq!(found(".ci/run", "curl https://static.crates.io/x\n").len(), 1);
        assert!(found("Cargo.lock", "https://index.crates.io/\n").is_empty());
    }

    #[test]
    fn templates_of_temporary_names_are_not_marks_of_unfinished_work() {
        assert!(found("a.sh", "mktemp -d /tmp/a.XXXXXX\n").is_empty());
        assert_eq!(found("a.rs", "//! A.\n// XXX: later\n").len(), 1);
    }
}
