//! The samples have the promised properties.

use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::event::RunState;
use drivelab_core::run::RunRecords;

use super::*;

fn is_whole(run: &RunRecords) -> bool {
    run.plan.schedule().iter().all(|(key, _)| run.is_finished(key))
}

#[test]
fn samples_are_complete_unfinished_resumed_and_always_the_same() {
    let run = sample_run();
    assert!(is_whole(&run) && run.state == RunState::Complete && run.breaks.is_empty());
    assert_eq!(run, sample_run());
    let half = sample_unfinished_run();
    assert!(!is_whole(&half) && half.unfinished().is_some() && half.state == RunState::Interrupted);
    let resumed = sample_resumed_run();
    assert!(is_whole(&resumed) && resumed.state == RunState::Complete);
    assert_eq!(resumed.breaks.len(), 1);
    assert!(resumed.breaks[0].resumed.is_some());
    assert_eq!(sample_steady_run().steps.len(), 8);
}

#[test]
fn event_numbers_have_no_gaps_and_time_never_goes_back() {
    let events = sample_events();
    for (index, pair) in events.windows(2).enumerate() {
        assert_eq!(pair[0].seq, index as u64);
        assert!(pair[0].at_ns <= pair[1].at_ns);
    }
}

#[test]
fn a_drive_is_its_model_and_serial_number_and_several_are_none() {
    let mut environment = sample_environment();
    let known = || Some(("Example NVMe 1TB".to_owned(), Some("EX0000000001".to_owned())));
    assert_eq!(environment.model_and_serial(), known());
    let drive = environment.target.devices[0].clone();
    // What lies between the target and its drive has no model; a second path to the same drive is the same drive.
    environment.target.devices.insert(0, BlockDeviceFacts { model: None, serial: None, ..drive.clone() });
    environment.target.devices.push(drive.clone());
    assert_eq!(environment.model_and_serial(), known());
    environment.target.devices.push(BlockDeviceFacts { serial: Some("EX0000000002".to_owned()), ..drive });
    assert_eq!(environment.model_and_serial(), None);
    environment.target.devices.clear();
    assert_eq!(environment.model_and_serial(), Some((environment.named(), None)));
}
