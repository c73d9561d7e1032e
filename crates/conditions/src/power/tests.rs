//! Power states on recorded pages, built by the specification's offsets: not yet tried on hardware.

mod interrupted;
pub(crate) mod pages;

use drivelab_nvme::{RecordedTransport, Recording, Request, Status};

use super::*;
use pages::{CURRENT, IDENTIFY, THREE, identify};

fn controller(watts: &[(u16, bool)], state: u32) -> Controller<RecordedTransport> {
    let mut recording = Recording::default();
    recording.page(IDENTIFY, identify(watts, false));
    recording.value(CURRENT, state);
    Controller::new(RecordedTransport::new(recording))
}

fn node() -> &'static Path {
    Path::new("/dev/nvme9n1")
}

#[test]
fn each_operational_state_is_set_read_back_and_the_one_before_restored() {
    // State 1 with the workload hint 2 before: both come back.
    let before = 1 | 2 << 5;
    let drive = controller(&THREE, before);
    assert_eq!(states_of(&drive).expect("states"), [0, 1, 2]);
    for (state, watts) in [(0, 8.25), (2, 3.5)] {
        let (facts, deed) = plan_on(&drive, node(), state).expect("a plan");
        assert_eq!((facts.before, facts.max_watts), (1, Some(watts)));
        let facts = set_on(&drive, facts).expect("set");
        assert_eq!(drive.power_state().expect("a state").state, facts.state);
        let Deed::PowerState { serial, before, .. } = deed else { panic!("{deed:?}") };
        assert_eq!(serial, "SN-1");
        let said = restore_on(&drive, &serial, before).expect("restored");
        assert!(matches!(said, Undoing::Undone(said) if said == "restored power state 1"));
        let again = restore_on(&drive, &serial, before).expect("nothing to do");
        assert!(matches!(again, Undoing::NotThere), "safe to repeat: {again:?}");
    }
    let set: Vec<u32> = drive.transport().set_features().into_iter().map(|(_, value)| value).collect();
    assert_eq!(set, [2 << 5, before, 2 | 2 << 5, before]);
}

#[test]
fn one_state_ends_the_arm_with_a_sentence_and_nothing_set() {
    let drive = controller(&THREE[..1], 0);
    for error in [states_of(&drive).expect_err("one"), plan_on(&drive, node(), 0).expect_err("one")] {
        assert!(error.to_string().contains("only one power state"), "{error}");
        assert!(error.to_string().contains("the drive is unchanged"), "{error}");
    }
    assert!(drive.transport().set_features().is_empty());
}

#[test]
fn states_that_are_not_there_or_take_no_io_are_refused_before_anything_is_set() {
    let drive = controller(&THREE, 0);
    let text = |state| plan_on(&drive, node(), state).expect_err("refused").to_string();
    assert!(text(9).contains("0 to 3, but not 9"), "{}", text(9));
    assert!(text(3).contains("accepts no reads and writes"), "{}", text(3));
    assert!(drive.transport().set_features().is_empty());
}

#[test]
fn a_controller_that_refuses_ends_the_arm_with_its_own_words() {
    let mut recording = Recording::default();
    recording.page(IDENTIFY, identify(&THREE, false));
    recording.value(CURRENT, 0);
    // Feature Not Changeable (Base 2.0, figure 93: command specific, 0Eh).
    recording.refusal(Request::SetFeature { feature: 2, value: 2 }, Status::new(0x010E));
    let drive = Controller::new(RecordedTransport::new(recording));
    let (facts, deed) = plan_on(&drive, node(), 2).expect("a plan");
    let error = set_on(&drive, facts).expect_err("refused");
    assert!(error.to_string().contains("refuses"), "{error}");
    assert!(error.to_string().ends_with("the drive is unchanged"), "{error}");
    let Deed::PowerState { serial, before, .. } = deed else { panic!("{deed:?}") };
    assert!(matches!(restore_on(&drive, &serial, before).expect("as it was"), Undoing::NotThere));
    assert_eq!(drive.power_state().expect("a state").state, 0);
}

#[test]
fn nothing_is_said_of_the_drive_that_is_not_known() {
    // A controller that loses its answers: after the state was set, Get Features is not among its pages.
    let mut recording = Recording::default();
    recording.page(IDENTIFY, identify(&THREE, false));
    let drive = Controller::new(RecordedTransport::new(recording));
    for error in [plan_on(&drive, node(), 2).expect_err("asked"), restore_on(&drive, "SN-1", 0).expect_err("restored")]
    {
        let ConditionsError::Controller { source, known } = &error else { panic!("{error}") };
        assert!(matches!(source, drivelab_nvme::NvmeError::NotRecorded { .. }), "{source}");
        assert!(std::error::Error::source(&error).is_some(), "the controller's own error is kept");
        assert!(error.to_string().ends_with(known), "{error}");
    }
    let restoring = restore_on(&drive, "SN-1", 0).expect_err("not restored").to_string();
    assert!(restoring.contains("may still be in force") && !restoring.contains("unchanged"), "{restoring}");
}

#[test]
fn another_controller_at_the_same_node_is_left_alone() {
    let drive = controller(&THREE, 2);
    assert!(matches!(restore_on(&drive, "SN-2", 0).expect("left alone"), Undoing::NotThere));
    assert!(drive.transport().set_features().is_empty());
}
