//! A file with very many mistakes: the work is proportional to the number of mistakes, at most 50 are shown, and no
//! long value is printed whole. Also a file with very many tests: the work is proportional to the number of tests.

use drivelab_method::{Diagnostics, parse};
use rustix::time::{ClockId, clock_gettime};

const SHOWN: usize = 50;

/// CPU time of this thread, in nanoseconds. /proc counts in ticks of 4 ms, a tenth of the time of the smaller text.
fn cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).expect("a time") * 1_000_000_000 + u64::try_from(time.tv_nsec).expect("a time")
}

fn mistakes(text: &str) -> Diagnostics {
    parse("m.toml", text).expect_err("it is wrong")
}

/// The CPU time of finding and showing the mistakes.
fn finds_mistakes(text: &str) {
    let said = mistakes(text).render(false);
    assert!(said.matches("error: ").count() <= SHOWN, "no more are shown");
}

/// Reads a file without mistakes, and expands its forms.
fn is_right(text: &str) {
    parse("m.toml", text).unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// The CPU time of an action on a text; the minimum of several tries.
fn cost_ns(does: fn(&str), text: &str, times: usize) -> u64 {
    let one = || {
        let began = cpu_ns();
        does(text);
        cpu_ns() - began
    };
    (0..times).map(|_| one()).min().unwrap_or_default()
}

fn empty_tests(count: usize) -> String {
    format!("format = 1\n{}", "[[tests]]\n".repeat(count))
}

fn unknown_keys(count: usize) -> String {
    (0..count).map(|number| format!("key_{number} = {number}\n")).collect()
}

fn wrong_values(count: usize) -> String {
    let values: String = (0..count).map(|_| "\"x\", ").collect();
    format!("format = 1\n[defaults]\nqueue_depth = [{values}]\n")
}

fn doubles(count: usize) -> String {
    let values: String = (0..count).map(|number| format!("{}, ", number % 100 + 1)).collect();
    format!("format = 1\n[defaults]\nqueue_depth = [{values}]\n")
}

/// Mistakes in tests that are otherwise correct, each with a different name.
fn wrong_tests(count: usize) -> String {
    let test = |number| format!("[[tests]]\nname = \"a{number}\"\nop = \"raed\"\nqueue_depth = 70000\n");
    (0..count).map(test).fold("format = 1\n".to_owned(), |all, one| all + &one)
}

fn unknown_keys_of_a_test(count: usize) -> String {
    format!("format = 1\n[[tests]]\n{}", unknown_keys(count))
}

fn same_names(count: usize) -> String {
    format!("format = 1\n{}", "[[tests]]\nname = \"same\"\n".repeat(count))
}

/// Quadratic work takes a hundred times as long in every try. Other programs that share caches and memory slow the
/// larger text down by some part, and not in every try.
const TRIES: usize = 5;

/// A kind of mistake: its name, and a text with this many of them.
type Kind = (&'static str, fn(usize) -> String);

/// The beginning of a valid file.
const HEAD: &str = r#"format = 1
name = "m"
title = "M"
version = "1.0.0"
summary = "s"
good_for = "g"
cannot_tell = "c"
[[sources]]
id = "own"
citation = "none"
[target]
kind = "file_or_block"
size = "100 GiB"
minimum_size = "8 MiB"
[forms.faithful]
[defaults]
time = "1 s"
pattern = "sequential"
block_size = "4 KiB"
queue_depth = 1
"#;
const FILL: &str = "[[prepare]]\naction = \"fill\"\nsources = [\"own\"]\n";

/// Correct tests, each with its number in place of `#`, after a beginning.
fn right_tests(begin: &str, more: &str, count: usize) -> String {
    let test = "[[tests]]\nname = \"a#\"\ntitle = \"A\"\npurpose = \"p\"\nsources = [\"own\"]\n";
    let one = |number: usize| format!("{test}{more}").replace('#', &number.to_string());
    (0..count).map(one).fold(format!("{HEAD}{begin}"), |all, one| all + &one)
}

/// Tests that only read what is filled before all tests.
fn reads(count: usize) -> String {
    right_tests(FILL, "op = \"read\"\n", count)
}

/// Tests that each write a different part of the target.
fn writes(count: usize) -> String {
    right_tests("", "op = \"write\"\nspan = { offset = \"#000 KiB\", length = \"4 KiB\" }\n", count)
}

/// Tests with a preparation of their own.
fn prepared(count: usize) -> String {
    let before = "op = \"read\"\n[[prepare]]\naction = \"fill\"\nbefore = \"a#\"\nsources = [\"own\"]\n";
    right_tests("", before, count)
}

/// Tests of a profile, each with a score.
fn in_a_profile(count: usize) -> String {
    let names: String = (0..count).map(|number| format!("\"a{number}\", ")).collect();
    let profile = format!("[[profiles]]\nname = \"p\"\npurpose = \"p\"\ntests = [{names}]\n");
    let score = "op = \"read\"\n[[scores]]\nname = \"s#\"\ntitle = \"S\"\nsources = [\"own\"]\nrule = \"sum\"\n\
                 [[scores.parts]]\ntest = \"a#\"\nfigure = \"total.iops\"\n";
    right_tests(&format!("{FILL}{profile}"), score, count)
}

#[test]
fn ten_times_the_mistakes_take_at_most_fifteen_times_the_time() {
    let kinds: [Kind; 8] = [
        ("empty tests", empty_tests),
        ("empty tests in a list", |count| format!("format = 1\ntests = [{}]\n", "{}, ".repeat(count))),
        ("unknown keys", unknown_keys),
        ("wrong values", wrong_values),
        ("a value twice", doubles),
        ("a name twice", same_names),
        ("wrong tests", wrong_tests),
        ("unknown keys of a test", unknown_keys_of_a_test),
    ];
    grows_with_the_count(&kinds, finds_mistakes, 2_000);
}

#[test]
fn ten_times_the_tests_take_at_most_fifteen_times_the_time() {
    let kinds: [Kind; 4] = [
        ("tests that read", reads),
        ("tests that write", writes),
        ("tests with a preparation", prepared),
        ("tests of a profile with scores", in_a_profile),
    ];
    grows_with_the_count(&kinds, is_right, 250);
}

#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more")]
fn grows_with_the_count(kinds: &[Kind], does: fn(&str), least: usize) {
    for (what, make) in kinds {
        // So many that both runs last longer than warming up the caches and the allocator.
        let mut count = least;
        while cost_ns(does, &make(count), 1) < 40_000_000 && count < 64_000 {
            count *= 2;
        }
        let (few, many) = (make(count), make(10 * count));
        let mut least = f64::INFINITY;
        for attempt in 1..=TRIES {
            let (few, many) = (cost_ns(does, &few, 3), cost_ns(does, &many, 3));
            let times = many as f64 / few as f64;
            println!("{what}: {count} of them {few} ns, ten times as many {many} ns: {times:.1} times ({attempt})");
            least = least.min(times);
            if least <= 15.0 {
                break;
            }
        }
        assert!(least <= 15.0, "{what}: ten times as many took {least:.1} times as long at the least");
    }
}

#[test]
fn the_rest_is_counted_and_no_value_is_printed_whole() {
    let said = mistakes(&unknown_keys(1_234)).render(false);
    assert!(said.ends_with(&format!("and {} more mistakes", 1_234 + 1 - SHOWN)), "{}", &said[said.len() - 200..]);
    assert_eq!(said.matches("error: ").count(), SHOWN);
    let long = "x".repeat(1 << 20);
    let spaced = "x y ".repeat(1 << 18);
    for value in [&long, &spaced] {
        for text in [
            format!("format = \"{value}\"\n"),
            format!("format = 1\nname = \"{value}\"\n"),
            format!("format = 1\n\"{value}\" = 1\n"),
            format!("format = 1\n[defaults]\nblock_size = \"{value}\"\n"),
            format!("format = 1\n[defaults]\nblock_size = [\"4 KiB\", \"{value}\"]\n"),
            format!("format = 1\n[defaults]\ndata_file = [\"{value}\", \"{value}\"]\n"),
            format!("format = 1\n[[tests]]\nname = \"a\"\nop = \"{value}\"\n"),
            format!("format = 1\ninclude = [\"{value}\"]\n"),
            format!("format = 1\ntitle = \"{value}\nname = 3\n"),
        ] {
            let wrong = mistakes(&text);
            let shown = wrong.all().iter().map(|one| format!("{} {}", one.title(), one.label()));
            for said in shown.chain([wrong.render(false)]) {
                for part in [&long, &spaced] {
                    let part: String = part.chars().take(210).collect();
                    assert!(!said.contains(&part), "{:.300}", said);
                }
                assert!(said.len() < 64 << 10, "{} bytes of words", said.len());
            }
        }
    }
}
