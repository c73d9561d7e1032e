//! Texts parsed and printed again, sizes worked out by hand, and which runs may be compared.

use super::*;
use crate::condition::ConditionFacts;

#[test]
fn arms_come_back_from_their_text() {
    for text in ["none", "opal", "luks2", "luks2:sector=4096,inline", "luks2:no-read-workqueue,same-cpu"] {
        assert_eq!(text.parse::<Arm>().expect(text).to_string(), text);
    }
    assert_eq!("sw".parse(), Ok(Arm::Luks2(Luks2::default())));
    assert_eq!("hw".parse(), Ok(Arm::Opal));
    let spelt_out = "luks2:no-read-workqueue,no-write-workqueue".parse::<Arm>();
    assert_eq!(spelt_out, "luks2:inline".parse());
}

#[test]
fn what_is_no_arm_is_answered_with_what_is() {
    for text in ["", "luks", "luks2:", "luks2:sector=100", "luks2:sector=8192", "none:inline", "opal:x", "luks2:fast"] {
        let error = text.parse::<Arm>().expect_err(text);
        assert!(error.to_string().contains("luks2:sector=4096"), "{error}");
        assert!(error.to_string().contains("no-write-workqueue"), "every option is named: {error}");
    }
}

#[test]
fn shares_are_sizes_or_per_cent_of_the_whole_and_never_more() {
    let share = |text: &str| text.parse::<Share>().expect(text);
    assert_eq!(share("90%").of(Bytes::new(1000), Bytes::new(1)), Bytes::new(900));
    assert_eq!(share("33 %").of(Bytes::new(10 << 20), Bytes::MIB), Bytes::new(3 << 20));
    assert_eq!(share("1 GiB").of(Bytes::new(1 << 20), Bytes::MIB), Bytes::MIB);
    assert_eq!(share("100%").of(Bytes::new(u64::MAX), Bytes::new(1)), Bytes::new(u64::MAX));
    for text in ["0%", "101%", "", "x", "0", "-5%", "1.5%"] {
        text.parse::<Share>().expect_err(text);
    }
}

#[test]
fn a_number_without_a_unit_is_asked_about_and_not_taken_for_bytes() {
    let text = |share: &str| share.parse::<Share>().expect_err(share).to_string();
    assert!(text("10").ends_with("10 % or 10 GiB?"), "{}", text("10"));
    assert!(text(" 100 ").ends_with("100 % or 100 GiB?"), "{}", text(" 100 "));
    assert!(text("500").ends_with("500 MiB or 500 GiB?"), "{}", text("500"));
    assert!(text("1048575").contains("no unit"), "{}", text("1048575"));
    assert_eq!("1048576".parse(), Ok(Share::Bytes(Bytes::MIB)));
    assert_eq!("10 GiB".parse(), Ok(Share::Bytes(Bytes::new(10 << 30))));
}

#[test]
fn data_states_come_back_from_their_text() {
    for text in ["as-found", "fresh", "filled:90%", "overwritten-random", "discarded"] {
        assert_eq!(text.parse::<DataState>().expect(text).to_string(), text);
    }
    for text in ["filled", "filled:0%", "filled:101%", "full", ""] {
        text.parse::<DataState>().expect_err(text);
    }
}

#[test]
fn arms_stand_beside_each_other_and_partitions_do_not() {
    let plain = Condition { partition: "90%".parse().ok(), ..Condition::default() };
    let coded = Condition { encryption: Arm::Luks2(Luks2::default()), ..plain };
    let slow = Condition { power_state: Some(2), ..plain };
    assert_eq!((plain.ground(), plain.ground()), (coded.ground(), slow.ground()));
    assert_ne!(plain.ground(), Condition::default().ground());
    assert_eq!([plain.arm(), coded.arm(), slow.arm()], ["none", "luks2", "power state 2"]);
    assert!(plain.is_any() && !Condition::default().is_any());
}

#[test]
fn what_is_recorded_is_read_back_and_what_was_not_asked_takes_no_room() {
    let asked = Condition {
        partition: "90%".parse().ok(),
        file_system: Some(FileSystem::Xfs),
        encryption: "luks2:sector=4096,inline".parse().expect("an arm"),
        data_state: "filled:50%".parse().expect("a state"),
        ..Condition::default()
    };
    let facts = ConditionFacts { asked, done: vec!["a partition was made".into()], ..ConditionFacts::default() };
    let text = serde_json::to_string(&facts).expect("JSON");
    assert_eq!(serde_json::from_str::<ConditionFacts>(&text).expect("facts"), facts);
    assert!(!text.contains("power"), "{text}");
}
