//! Lines of real files, pipes and commands, and their time on the run clock.

use std::fs::{self, OpenOptions};
use std::io::Write;

use drivelab_core::clock::{MonotonicClock, StopToken};
use proptest::prelude::*;

use super::lines::Meter;
use super::*;

const SECOND: u64 = 1_000_000_000;

#[test]
fn a_line_that_was_held_back_stands_where_it_was_measured() {
    let mut meter = Meter::default();
    // Arrives 2 s late: the only known fact is that it cannot be later than now.
    assert_eq!(meter.take(b"100 5.0\n", 12 * SECOND).unwrap(), [(12 * SECOND, 5.0)]);
    // Arrives without delay: second 104 is run time 14, so the first was at 10. The first is already reported; later
    // ones are right.
    assert_eq!(meter.take(b"104 6.0\n", 14 * SECOND).unwrap(), [(14 * SECOND, 6.0)]);
    assert_eq!(meter.take(b"105 7\n10", 19 * SECOND).unwrap(), [(15 * SECOND, 7.0)]);
    assert_eq!(meter.take(b"6 8\n", 19 * SECOND).unwrap(), [(16 * SECOND, 8.0)], "a line in two pieces");
}

#[test]
fn a_meter_whose_clock_is_slow_or_fast_is_placed_right_for_hours() {
    for rate in [0.995, 1.005] {
        let mut meter = Meter::default();
        let mut furthest = 0.0_f64;
        for second in 1..=3600_u32 {
            let measured = f64::from(second);
            // Lines are delayed by up to 40 ms, each differently.
            let arrived_ns = u64::from(second) * SECOND + u64::from(second * 7 % 5) * 10_000_000;
            let line = format!("{} 5\n", measured * rate);
            let placed = meter.take(line.as_bytes(), arrived_ns).unwrap();
            assert_eq!(placed.len(), 1, "a reading a second, at {second} s");
            furthest = furthest.max((Nanos::new(placed[0].0).as_secs_f64() - measured).abs());
        }
        assert!(furthest < 0.4, "{furthest} s off at a rate of {rate}");
    }
}

#[test]
fn time_never_goes_back_and_nonsense_is_an_error() {
    let mut meter = Meter::default();
    assert_eq!(meter.take(b"5 1\n5 2\n", SECOND).unwrap(), [(SECOND, 1.0)], "the same moment twice");
    assert!(meter.take(b"watts 3\n", SECOND).unwrap_err().contains("seconds value"));
    assert_eq!(meter.take(b"1 4\n", 9 * SECOND).unwrap(), [(9 * SECOND, 4.0)], "an adapter that was restarted");
    assert!(meter.take(&[b'x'; 5000], SECOND).is_err());
}

#[test]
fn a_file_is_followed_from_its_end_and_read_anew_when_it_was_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("power");
    fs::write(&path, "1 99\n2 99\n").unwrap();
    let clock = MonotonicClock::starting_at(100 * SECOND);
    let mut adapter = Adapter::file(AdapterValue::Power, "nvme0n1", path.clone()).unwrap();
    let values = |adapter: &mut Adapter| -> Vec<f64> {
        let samples = adapter.read(&clock).unwrap();
        samples.iter().map(|sample| sample.values[0].unwrap()).collect()
    };
    assert!(values(&mut adapter).is_empty(), "earlier lines are not present readings");
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"3 4.5\n4 5.5\n").unwrap();
    let both = values(&mut adapter);
    assert_eq!(both, [4.5, 5.5]);
    let new = folder.path().join("new");
    fs::write(&new, "60 7\n").unwrap();
    fs::rename(&new, &path).unwrap();
    assert_eq!(values(&mut adapter), [7.0]);
    fs::write(&path, "61 8\n").unwrap();
    assert_eq!(values(&mut adapter), [8.0], "written over in place");
}

#[test]
fn the_first_line_that_is_none_is_told_until_a_good_one_comes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("power");
    fs::write(&path, "").unwrap();
    let clock = MonotonicClock::starting_at(100 * SECOND);
    let mut adapter = Adapter::file(AdapterValue::Power, "nvme0n1", path.clone()).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"bad \x1b[2Jline\n").unwrap();
    let first = adapter.read(&clock).unwrap_err();
    assert!(first.contains("'bad ") && !first.contains('\x1b'), "{first}");
    file.write_all(b"worse line\n").unwrap();
    assert_eq!(adapter.read(&clock).unwrap_err(), first, "a second bad line");
    assert_eq!(adapter.read(&clock).unwrap_err(), first, "nothing new");
    file.write_all(b"5 6.5\n").unwrap();
    assert_eq!(adapter.read(&clock).unwrap().len(), 1);
    assert_eq!(adapter.read(&clock), Ok(Vec::new()), "the meter works again");
}

#[test]
fn a_command_is_read_until_it_ends_and_is_ended_with_the_adapter() {
    let clock = MonotonicClock::starting_at(100 * SECOND);
    let text = "echo '# meter'; echo 1 5; echo 2 5.5; exit 3";
    let mut adapter = Adapter::command(AdapterValue::Power, "nvme0n1", text).unwrap();
    let mut values = Vec::new();
    let mut ended = None;
    for _ in 0..1500 {
        match adapter.read(&clock) {
            Ok(samples) => values.extend(samples.into_iter().map(|sample| sample.values[0].unwrap())),
            Err(error) => ended = Some(error),
        }
        if ended.is_some() {
            break;
        }
        clock.sleep_until(clock.now_ns() + 20_000_000, &StopToken::default());
    }
    assert_eq!(values, [5.0, 5.5]);
    assert!(ended.is_some_and(|error| error.contains("exit status: 3") || error.contains("closed its output")));
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let text = format!("echo $$ > {}; while :; do echo 1 1; sleep 0.05; done", pid_file.display());
    let adapter = Adapter::command(AdapterValue::Power, "nvme0n1", &text).unwrap();
    for _ in 0..3000 {
        if fs::read_to_string(&pid_file).is_ok_and(|text| text.ends_with('\n')) {
            break;
        }
        clock.sleep_until(clock.now_ns() + 10_000_000, &StopToken::default());
    }
    let pid = fs::read_to_string(&pid_file).unwrap();
    drop(adapter);
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists(), "the shell {pid} is still there");
}

#[test]
fn a_pipe_without_a_writer_does_not_hold_anybody_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let clock = MonotonicClock::starting_at(100 * SECOND);
    let mut adapter = Adapter::file(AdapterValue::Temperature, "nvme0n1", path.clone()).unwrap();
    assert_eq!(adapter.read(&clock), Ok(Vec::new()));
    let mut pipe = OpenOptions::new().write(true).open(&path).unwrap();
    pipe.write_all(b"1 41.5\n").unwrap();
    assert_eq!(adapter.read(&clock).unwrap()[0].values, [Some(41.5)]);
    pipe.write_all(b"2 42").unwrap();
    assert_eq!(adapter.read(&clock), Ok(Vec::new()), "half a line is not a line");
}

#[test]
fn what_cannot_be_opened_is_said() {
    let missing = Adapter::file(AdapterValue::Power, "sda", PathBuf::from("/nonexistent/meter")).unwrap_err();
    assert!(missing.to_string().contains("/nonexistent/meter"), "{missing}");
    let folder = tempfile::tempdir().unwrap();
    assert!(Adapter::file(AdapterValue::Power, "sda", folder.path().to_owned()).is_err());
}

proptest! {
    #[test]
    fn values_come_in_order_of_time_whatever_is_written(
        pieces in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..40), 0u64..10_000_000_000), 0..12),
        lines in proptest::collection::vec((0.0f64..100.0, -5.0f64..50.0, 0u64..1_000_000_000), 0..20),
    ) {
        let (mut meter, mut now, mut last) = (Meter::default(), 0, None);
        for (bytes, later) in pieces {
            now += later;
            let _ = meter.take(&bytes, now);
        }
        let mut meter = Meter::default();
        for (seconds, value, later) in lines {
            now += later;
            for (at, _) in meter.take(format!("{seconds} {value}\n").as_bytes(), now).unwrap() {
                prop_assert!(last.is_none_or(|last| at > last) && at <= now + 1);
                last = Some(at);
            }
        }
    }
}
