//! drivelab's own trace compared with the kernel's: the same operations, sizes and places, in the same order.
//!
//! `block_bio_queue` is hit in the thread that submits, before anything is queued or sorted, so its order is the order
//! of submission. `block_rq_issue` is hit when the driver gets the request: the same operations, in an order that the
//! kernel decides.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::results::{Results, number};

/// Runs of tracepoints.sh, and how many threads each has.
const RUNS: [(&str, usize); 5] = [("mix.uring", 1), ("mix.sync", 1), ("threads", 2), ("once", 1), ("trim", 1)];

/// One operation, as both sides report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Operation {
    /// The kernel's letter: R, W or D.
    kind: char,
    offset: u64,
    length: u64,
}

/// Operations of each thread, in order.
type Threads = BTreeMap<u64, Vec<Operation>>;

/// Checks the results of tracepoints.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let device = results.text("dev")?;
    RUNS.iter().map(|&(name, threads)| run(results, name, &device, threads).with_context(|| name.to_owned())).collect()
}

/// Compares one run; returns a line that states what was compared.
fn run(results: &Results, name: &str, device: &str, threads: usize) -> Result<String> {
    let ours = our_trace(&results.text(&format!("{name}.trace"))?)?;
    let kernel = results.text(&format!("{name}.kernel"))?;
    let queued = kernel_trace(&kernel, "block_bio_queue", device)?;
    let issued = kernel_trace(&kernel, "block_rq_issue", device)?;
    ensure!(ours.len() == threads, "the trace has {} threads, not {threads}", ours.len());
    let count = same(&ours, &queued)?;
    issued_once(&ours, &queued, &issued)?;
    let document = results.json(name)?;
    let counted = counted(&document)?;
    ensure!(counted == count as f64, "{count} operations in the trace, {counted} in the result");
    // Trims of a block device in a ring need Linux 6.12; before that drivelab itself uses threads.
    let backend = document.pointer("/engine/backend").and_then(|backend| backend.as_str()).unwrap_or("?");
    Ok(format!("{name}: {count} operations by {backend}, the kernel saw the same in the same order"))
}

/// Operations in the result, over all kinds.
fn counted(document: &Value) -> Result<f64> {
    let kinds = document.pointer("/operations").and_then(|kinds| kinds.as_object());
    kinds.context("no operations in the result")?.values().map(|kind| number(kind, "/count")).sum()
}

/// Demands that each of our threads is one thread of the kernel's, operation for operation; returns how many
/// operations there are. Threads of the kernel that drivelab's trace does not contain may only have looked at the
/// device before the run.
fn same(ours: &Threads, queued: &Threads) -> Result<usize> {
    for (thread, operations) in ours {
        if queued.values().any(|seen| seen == operations) {
            continue;
        }
        let nearest = queued.values().max_by_key(|seen| alike(operations, seen)).map_or(&[][..], Vec::as_slice);
        let at = alike(operations, nearest);
        anyhow::bail!(
            "thread {thread}: the kernel's order differs at operation {at} of {}: {:?}, and the kernel saw {:?} of {}",
            operations.len(),
            operations.get(at),
            nearest.get(at),
            nearest.len()
        );
    }
    Ok(ours.values().map(Vec::len).sum())
}

/// Demands that the driver got each of our operations, and besides them only what other threads queued (threads that
/// look at the device before the run; the kernel may make other requests for what they read through the page cache).
fn issued_once(ours: &Threads, queued: &Threads, issued: &Threads) -> Result<()> {
    let mut rest = sorted(issued);
    for operation in sorted(ours) {
        let at = rest.binary_search(&operation).ok().with_context(|| format!("the driver never got {operation:?}"))?;
        rest.remove(at);
    }
    let bytes = |operations: &[Operation]| operations.iter().map(|operation| operation.length).sum::<u64>();
    let of_others = bytes(&sorted(queued)) - bytes(&sorted(ours));
    ensure!(bytes(&rest) == of_others, "the driver got {} bytes beside ours, others queued {of_others}", bytes(&rest));
    Ok(())
}

/// How many operations are the same from the beginning.
fn alike(a: &[Operation], b: &[Operation]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// All operations, without threads and order.
fn sorted(threads: &Threads) -> Vec<Operation> {
    let mut all: Vec<Operation> = threads.values().flatten().copied().collect();
    all.sort_unstable();
    all
}

/// Reads drivelab's trace: a line of column names, then one line for each operation, separated by tabs.
fn our_trace(text: &str) -> Result<Threads> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().context("the trace is empty")?.split('\t').collect();
    let column = |name: &str| {
        head.iter().position(|column| *column == name).with_context(|| format!("the trace has no column {name}"))
    };
    let columns = [column("thread")?, column("index")?, column("op")?, column("offset")?, column("length")?];
    let mut threads: BTreeMap<u64, Vec<(u64, Operation)>> = BTreeMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |which: usize| cells.get(columns[which]).copied().unwrap_or_default();
        let whole = |which: usize| cell(which).parse::<u64>().with_context(|| format!("`{line}` in the trace"));
        let kind = match cell(2) {
            "read" => 'R',
            "write" => 'W',
            "trim" => 'D',
            other => anyhow::bail!("an operation `{other}` in the trace"),
        };
        let operation = Operation { kind, offset: whole(3)?, length: whole(4)? };
        threads.entry(whole(0)?).or_default().push((whole(1)?, operation));
    }
    // Lines may come in the order of completion; the index is the order of submission.
    let in_order = |mut lines: Vec<(u64, Operation)>| {
        lines.sort_unstable_by_key(|(index, _)| *index);
        lines.into_iter().map(|(_, operation)| operation).collect()
    };
    Ok(threads.into_iter().map(|(thread, lines)| (thread, in_order(lines))).collect())
}

/// Reads one kind of event from the kernel's trace of one device (`major:minor`):
/// `comm-pid [cpu] flags time: event: major,minor letters … sector + sectors …`.
fn kernel_trace(text: &str, event: &str, device: &str) -> Result<Threads> {
    ensure!(!text.contains("LOST"), "the kernel's buffer was too small: events were lost");
    let mark = format!(": {event}: {} ", device.replace(':', ","));
    let mut threads = Threads::new();
    for line in text.lines() {
        let Some((before, after)) = line.split_once(&mark) else { continue };
        let odd = || format!("`{line}` in the kernel's trace");
        let words: Vec<&str> = after.split_whitespace().collect();
        let plus = words.iter().position(|word| *word == "+").with_context(odd)?;
        let sectors = |at: Option<usize>| {
            let word = at.and_then(|at| words.get(at)).copied().unwrap_or_default();
            word.parse::<u64>().map(|sectors| sectors * 512).with_context(odd)
        };
        let kind = words[0].chars().next().with_context(odd)?;
        let operation = Operation { kind, offset: sectors(plus.checked_sub(1))?, length: sectors(Some(plus + 1))? };
        let task = before.split(" [").next().unwrap_or_default().trim();
        let thread = task.rsplit('-').next().unwrap_or_default().parse().with_context(odd)?;
        threads.entry(thread).or_default().push(operation);
    }
    Ok(threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "thread\tindex\top\toffset\tlength\tsubmit_ns\tlatency_ns\n\
        0\t1\twrite\t65536\t4096\t20\t5\n0\t0\tread\t8192\t4096\t10\t30\n";

    const KERNEL: &str = "# tracer: nop\n\
        \x20 io-0-77      [000] .....     4.99: block_bio_queue: 252,0 R 16 + 8 [io-0]\n\
        \x20 io-0-77      [000] d..1.     4.99: block_rq_issue: 252,0 R 4096 () 16 + 8 [io-0]\n\
        \x20 main-70      [000] .....     4.99: block_bio_queue: 8,0 R 0 + 8 [main]\n\
        \x20 io-0-77      [000] .....     5.01: block_bio_queue: 252,0 WS 128 + 8 [io-0]\n\
        \x20 io-0-77      [000] d..1.     5.01: block_rq_issue: 252,0 WS 4096 () 128 + 8 [io-0]\n";

    fn seen(text: &str, event: &str) -> Threads {
        kernel_trace(text, event, "252:0").expect("a kernel's trace")
    }

    #[test]
    fn two_tellings_of_the_same_story_agree() {
        let ours = our_trace(OURS).expect("a trace");
        assert_eq!(same(&ours, &seen(KERNEL, "block_bio_queue")).expect("the same"), 2);
        let queued = seen(KERNEL, "block_bio_queue");
        let issued = |text: &str| issued_once(&ours, &queued, &seen(text, "block_rq_issue"));
        issued(KERNEL).expect("each once");
        issued(&KERNEL.replace("4096 () 16", "4096 () 24")).expect_err("another place");
        let twice = "\x20 io-0-77 [000] d..1. 5.02: block_rq_issue: 252,0 WS 4096 () 128 + 8 [io-0]\n";
        issued(&format!("{KERNEL}{twice}")).expect_err("once too often");
    }

    #[test]
    fn another_order_place_or_size_is_found() {
        let ours = our_trace(OURS).expect("a trace");
        for (from, to) in [("R 16 + 8", "R 24 + 8"), ("R 16 + 8", "R 16 + 16"), ("R 16 + 8", "W 16 + 8")] {
            let kernel = seen(&KERNEL.replace(from, to), "block_bio_queue");
            assert!(same(&ours, &kernel).expect_err(to).to_string().contains("differs at operation 0"));
        }
        let swapped = OURS.replace("0\t1\twrite", "0\t9\twrite").replace("0\t0\tread", "0\t10\tread");
        same(&our_trace(&swapped).expect("a trace"), &seen(KERNEL, "block_bio_queue")).expect_err("another order");
        let longer = format!("{OURS}0\t2\tread\t0\t4096\t30\t1\n");
        same(&our_trace(&longer).expect("a trace"), &seen(KERNEL, "block_bio_queue")).expect_err("one too many");
    }

    #[test]
    fn a_lossy_or_odd_trace_is_no_witness() {
        let lost = format!("CPU:0 [LOST 12 EVENTS]\n{KERNEL}");
        assert!(kernel_trace(&lost, "block_bio_queue", "252:0").is_err());
        assert!(our_trace("thread\top\n").is_err());
        assert!(our_trace(&OURS.replace("read", "fetch")).is_err());
    }
}
