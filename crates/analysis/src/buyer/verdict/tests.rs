//! Every question by a drive of which nothing is to be said, changed in one thing at a time.

mod drive;
mod others;

use drivelab_core::content::{ContentSample, PlaceSample, RepeatSample};
use drivelab_core::probe::{Contradiction, FirmwareSlot, Health, SelfTest};
use drivelab_core::units::Bytes;

use self::drive::{Drive, good};
use super::*;

fn of(drive: &Drive, question: Question) -> (Standing, String) {
    let answer = drive.check().answers.into_iter().find(|answer| answer.question == question).expect("answered");
    (answer.standing, format!("{} {}", answer.text, answer.evidence.join("; ")))
}

/// What a change does to one answer and to the verdict.
fn after(question: Question, standing: Standing, says: &str, change: impl FnOnce(&mut Drive)) {
    let mut drive = good();
    change(&mut drive);
    let (found, text) = of(&drive, question);
    assert_eq!(found, standing, "{text}");
    assert!(text.contains(says), "'{says}' is not in: {text}");
    let verdict = drive.check().verdict;
    match standing {
        Standing::Bad => assert!(verdict.text.starts_with("Do not buy: "), "{}", verdict.text),
        Standing::Beware => assert!(verdict.text.starts_with("Looks healthy, but: "), "{}", verdict.text),
        Standing::Unknown if question == Question::Healthy => {
            assert!(verdict.text.starts_with("Cannot tell: "), "{}", verdict.text);
        }
        Standing::Unknown | Standing::Good => assert_eq!(verdict.text, "Looks healthy."),
    }
}

#[test]
fn of_a_good_drive_every_answer_is_good_and_every_question_is_answered_once() {
    let checked = good().check();
    assert_eq!(checked.verdict, Verdict { standing: Standing::Good, text: "Looks healthy.".to_owned() });
    let answers: Vec<(Question, Standing)> =
        checked.answers.iter().map(|answer| (answer.question, answer.standing)).collect();
    let all =
        [Question::Healthy, Question::Genuine, Question::Link, Question::Firmware, Question::OldData, Question::Use];
    assert_eq!(answers, all.map(|question| (question, Standing::Good)), "{checked:#?}");
    assert!(checked.answers.iter().all(|answer| !answer.because.is_empty() && answer.problems.is_empty()));
}

#[test]
fn health_is_what_the_drive_says_and_what_could_be_read() {
    let healthy = Question::Healthy;
    after(healthy, Standing::Bad, "degraded", |drive| {
        (drive.probe.health, drive.probe.warnings) = (Health::Warning, vec!["its reliability is degraded".to_owned()]);
        drive.log().critical_warning = 1 << 2;
    });
    after(healthy, Standing::Beware, "temperature", |drive| {
        (drive.probe.health, drive.probe.warnings) = (Health::Warning, vec!["a temperature is too high".to_owned()]);
        drive.log().critical_warning = 1 << 1;
    });
    after(healthy, Standing::Bad, "100 % of its endurance", |drive| drive.log().used_percent = 100);
    after(healthy, Standing::Beware, "90 % of its endurance", |drive| drive.log().used_percent = 90);
    after(healthy, Standing::Good, "89 % of the endurance", |drive| drive.log().used_percent = 89);
    after(healthy, Standing::Beware, "2 media errors", |drive| drive.log().media_errors = 2);
    after(healthy, Standing::Bad, "3 reads ended in errors", |drive| drive.read().errors = 3);
    after(healthy, Standing::Bad, "1 reads ended", |drive| drive.content.places[3].unreadable = 1);
    after(healthy, Standing::Bad, "self-test failed", |drive| {
        let (kind, result) = ("extended".to_owned(), "failed".to_owned());
        drive.nvme().self_tests = vec![SelfTest { kind, result, failed: true, at_hours: 90 }];
    });
    after(healthy, Standing::Good, "", |drive| {
        let (kind, result) = ("extended".to_owned(), "stopped by a command".to_owned());
        drive.nvme().self_tests = vec![SelfTest { kind, result, failed: false, at_hours: 90 }];
    });
}

#[test]
fn a_drive_that_may_not_be_asked_is_no_healthy_drive() {
    let mut drive = good();
    (drive.probe.health, drive.probe.nvme) = (Health::Unknown, None);
    drive.probe.not_known = vec![drivelab_core::probe::NotKnown {
        what: "SMART log".to_owned(),
        why: "this user may not open /dev/nvme0".to_owned(),
        how: "run drivelab as root (sudo)".to_owned(),
    }];
    let checked = drive.check();
    assert_eq!(checked.verdict.text, "Cannot tell: SMART log: this user may not open /dev/nvme0.");
    assert_eq!(checked.answers[0].next_action, "run drivelab as root (sudo)");
    // What was seen all the same is said.
    drive.read().places[1].mb_s = 100.0;
    assert!(drive.check().verdict.text.contains("What was seen: 1 of 8 places"), "{:?}", drive.check().verdict);
    // And what speaks against it speaks louder than what is not known.
    drive.read().errors = 1;
    assert_eq!(drive.check().verdict.text, "Do not buy: 1 reads ended in errors.");
}

#[test]
fn names_and_numbers_must_be_those_of_the_maker() {
    let genuine = Question::Genuine;
    after(genuine, Standing::Bad, "its PCI vendor number is 1e4b", |drive| {
        drive.nvme().controller.vendor_id = 0x1e4b;
    });
    after(genuine, Standing::Bad, "15b7, which is Western Digital's", |drive| {
        drive.nvme().controller.vendor_id = 0x15b7;
    });
    after(genuine, Standing::Good, "one of Samsung", |_| {});
    after(genuine, Standing::Good, "", |drive| {
        drive.device().model = Some("Some other maker's".to_owned());
        drive.nvme().controller.vendor_id = 0x1e4b;
    });
    after(genuine, Standing::Beware, "no model name", |drive| drive.device().model = Some(" ".to_owned()));
    after(genuine, Standing::Beware, "one or two different characters", |drive| {
        drive.device().serial = Some("0000000000".to_owned());
    });
    after(genuine, Standing::Beware, "No drives are sold with 1100000000000 bytes", |drive| {
        drive.device().capacity = Bytes::new(1_100_000_000_000);
    });
}

#[test]
fn counters_that_deny_each_other_are_said() {
    let genuine = Question::Genuine;
    // Within the first hour 16 GB/s move at most 115 TB both ways.
    after(genuine, Standing::Beware, "more than any link carries", |drive| {
        (drive.log().power_on_hours, drive.log().written) = (0, Bytes::new(116_000_000_000_000));
    });
    after(genuine, Standing::Good, "", |drive| {
        (drive.log().power_on_hours, drive.log().written) = (0, Bytes::new(1_000_300_000_000));
    });
    after(genuine, Standing::Beware, "its counters were reset", |drive| {
        (drive.log().used_percent, drive.log().written) = (3, Bytes::new(999_000_000_000));
    });
    after(genuine, Standing::Good, "", |drive| {
        (drive.log().used_percent, drive.log().written) = (2, Bytes::new(999_000_000_000));
    });
    after(genuine, Standing::Beware, "sensor 2 (105 °C)", |drive| {
        drive.probe.contradictions =
            vec![Contradiction { what: "sensor 2".to_owned(), evidence: "105 °C".to_owned() }];
    });
}

fn row(mebibytes: u64, compared: u32, same: u32, distinct: u32) -> RepeatSample {
    RepeatSample { distance: Bytes::new(mebibytes << 20), compared, same, distinct }
}

#[test]
fn blocks_that_come_again_at_a_distance_and_beyond_are_wrapped_addresses() {
    let found = |rows: &[RepeatSample]| genuine::wraps(rows).map(|row| row.distance.get() >> 20);
    assert_eq!(found(&[row(4096, 20, 0, 0), row(8192, 20, 20, 18), row(16384, 20, 20, 18)]), Some(8192));
    assert_eq!(found(&[row(8192, 20, 15, 15)]), Some(8192), "what was written last stands in some of them");
    assert_eq!(found(&[row(8192, 20, 14, 14)]), None, "files come twice too");
    assert_eq!(found(&[row(8192, 20, 20, 3)]), None, "one pattern everywhere says nothing");
    assert_eq!(found(&[row(8192, 3, 3, 3)]), None, "too few");
    assert_eq!(found(&[row(1, 20, 20, 18), row(8192, 20, 20, 18)]), None, "a piece of 1 MiB written again and again");
    after(Question::Genuine, Standing::Bad, "hold no more than 8 GiB", |drive| {
        drive.content.repeats = vec![row(8192, 20, 20, 18)];
    });
}

#[test]
fn a_link_below_what_it_could_be_is_said_and_the_drive_is_not_blamed() {
    after(Question::Link, Standing::Beware, "runs at PCIe 3.0 x2 and could run at PCIe 3.0 x4", |drive| {
        drive.link().negotiated = "PCIe 3.0 x2".to_owned();
    });
    after(Question::Link, Standing::Unknown, "the link of nvme0n1 (nvme) is not known", |drive| {
        drive.device().link = None
    });
    after(Question::Link, Standing::Good, "3000 MB/s, 76 % of what the link carries", |_| {});
}

#[test]
fn firmware_with_a_known_fault_is_named_with_what_mends_it() {
    after(Question::Firmware, Standing::Beware, "5B2QGXA7 fixes it", |drive| {
        drive.device().model = Some("Samsung SSD 980 PRO 1TB".to_owned());
        drive.device().firmware = Some("3B2QGXA7".to_owned());
    });
    after(Question::Firmware, Standing::Good, "slot 2: 2B2QEXE8 does not run", |drive| {
        let revision = "2B2QEXE8".to_owned();
        drive.nvme().firmware_slots = vec![FirmwareSlot { slot: 2, revision, active: false }];
    });
    after(Question::Firmware, Standing::Unknown, "reports no firmware", |drive| drive.device().firmware = None);
}

#[test]
fn old_data_is_held_against_the_fastest_place_that_holds_data() {
    let old = Question::OldData;
    after(
        old,
        Standing::Beware,
        "1 of 8 places are read at less than 50 % of the fastest (3000 MB/s): 1499 MB/s from 100 GiB on",
        |drive| {
            drive.read().places[1].mb_s = 1499.0;
        },
    );
    after(old, Standing::Good, "the slowest 1500 MB/s", |drive| drive.read().places[1].mb_s = 1500.0);
    // A disk that spins is half as fast at its end.
    after(old, Standing::Good, "the slowest 1051 MB/s", |drive| {
        drive.device().rotational = Some(true);
        drive.read().places[7].mb_s = 1051.0;
    });
    after(old, Standing::Good, "the kernel reports a hard disk, so places below 35 % of the fastest", |drive| {
        drive.device().rotational = Some(true);
    });
    // A place of nothing is faster than all data, and does not make all data slow.
    after(old, Standing::Good, "1 of 8 places hold no data", |drive| {
        drive.read().places[0].mb_s = 7000.0;
        drive.content.places[0].empty = 16;
    });
    after(old, Standing::Unknown, "only 3 of 8 places hold data", |drive| {
        drive.content.places[..5].iter_mut().for_each(|place| place.empty = 16);
    });
    // In so short a time another program may just have had the CPU.
    after(old, Standing::Good, "the slowest 1000 MB/s", |drive| {
        drive.read().places.iter_mut().for_each(|place| place.length = Bytes::new(4 << 20));
        drive.read().places[1].mb_s = 1000.0;
    });
    after(old, Standing::Unknown, "too small", |drive| {
        drive.read().places.iter_mut().for_each(|place| place.length = Bytes::new(1 << 20));
    });
}

#[test]
fn a_place_holds_data_where_half_of_what_could_be_read_does() {
    let place = |empty: u32, unreadable: u32| PlaceSample {
        offset: Bytes::new(0),
        length: Bytes::new(1 << 20),
        blocks: 16,
        empty,
        unreadable,
    };
    assert!(place(8, 0).holds_data() && !place(9, 0).holds_data());
    assert!(place(4, 8).holds_data() && !place(5, 8).holds_data() && !place(0, 16).holds_data());
}

#[test]
fn use_is_held_against_capacity_and_endurance() {
    // 100 TB on 1 TB are 100 drive writes; in 1,000 hours 2.40 a day.
    after(Question::Use, Standing::Good, "(100.0 times its capacity). The drive is not new. 1000 power-on", |drive| {
        (drive.log().power_on_hours, drive.log().written) = (1000, Bytes::new(100_020_488_601_600));
    });
    after(Question::Use, Standing::Good, "2.40 drive writes for each power-on day", |drive| {
        (drive.log().power_on_hours, drive.log().written) = (1000, Bytes::new(100_020_488_601_600));
    });
    after(Question::Use, Standing::Good, "it may be new", |drive| {
        (drive.log().power_on_hours, drive.log().written) = (3, Bytes::new(10_000_000_000));
        drive.log().used_percent = 0;
    });
    after(Question::Use, Standing::Unknown, "neither hours nor bytes", |drive| drive.nvme().health = None);
}

#[test]
fn without_any_drive_nothing_can_be_told_and_nothing_breaks() {
    let not_read = drivelab_core::probe::NotKnown {
        what: "what is stored on it".to_owned(),
        why: "this user may not read it".to_owned(),
        how: "Ask its owner.".to_owned(),
    };
    let known = Known { probe: None, facts: None, read: None, not_read: Some(&not_read) };
    let checked = check(&known);
    let old_data = &checked.answers[4];
    assert_eq!((old_data.question, old_data.next_action.as_str()), (Question::OldData, "Ask its owner."));
    assert!(checked.answers.iter().all(|answer| answer.standing == Standing::Unknown), "{checked:#?}");
    assert_eq!(checked.verdict.text, "Cannot tell: no drive was found below the target.");
    let empty = ContentSample::default();
    let read = Read { content: Some(&empty), ..Read::default() };
    assert_eq!(check(&Known { read: Some(&read), ..known }).verdict.standing, Standing::Unknown);
}
