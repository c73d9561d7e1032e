//! A file with very many mistakes: as much work as it has mistakes, at most 50 of them shown, and no value printed whole.

use drivelab_method::{Diagnostics, parse};

const SHOWN: usize = 50;

/// CPU time of this thread, in nanoseconds (proc(5), schedstat).
fn cpu_ns() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux host");
    stat.split(' ').next().and_then(|first| first.parse().ok()).expect("a number")
}

fn mistakes(text: &str) -> Diagnostics {
    parse("m.toml", text).expect_err("it is wrong")
}

/// The CPU time of finding and showing what is wrong, the least of three.
fn cost_ns(text: &str) -> u64 {
    let one = || {
        let began = cpu_ns();
        let said = mistakes(text).render(false);
        assert!(said.matches("error: ").count() <= SHOWN, "no more are shown");
        cpu_ns() - began
    };
    (0..3).map(|_| one()).min().unwrap_or_default()
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

/// Mistakes in tests that are otherwise whole, each with a name of its own.
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

/// Work that grows with the square takes a hundred times as long in every try. Who shares caches and memory with the test
/// makes the larger text dearer by some part, and not each time.
const TRIES: usize = 5;

/// A kind of mistake: its name, and a text with so many of them.
type Kind = (&'static str, fn(usize) -> String);

#[test]
#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more")]
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
    for (what, make) in kinds {
        // Enough of them that the kernel's count of CPU time, which goes on with its ticks, is exact enough.
        let mut count = 2_000;
        while cost_ns(&make(count)) < 40_000_000 && count < 64_000 {
            count *= 2;
        }
        let (few, many) = (make(count), make(10 * count));
        let mut least = f64::INFINITY;
        for attempt in 1..=TRIES {
            let (few, many) = (cost_ns(&few), cost_ns(&many));
            let times = many as f64 / few as f64;
            println!("{what}: {count} of them {few} ns, ten times as many {many} ns: {times:.1} times ({attempt})");
            least = least.min(times);
            if least <= 15.0 {
                break;
            }
        }
        assert!(least <= 15.0, "{what}: ten times the mistakes took {least:.1} times as long at the least");
    }
}

#[test]
fn the_rest_is_counted_and_no_value_is_printed_whole() {
    let said = mistakes(&unknown_keys(1_234)).render(false);
    assert!(said.ends_with(&format!("and {} mistakes more", 1_234 + 1 - SHOWN)), "{}", &said[said.len() - 200..]);
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
