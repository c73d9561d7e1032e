//! A controller of recorded pages: requests, and settings that are changed and restored.

use drivelab_nvme::{
    AdminCommand, Controller, DestroyPermit, FormatOptions, IdentifyController, NSID_ALL, NvmeError, PowerManagement,
    RecordedTransport, Recording, Request, SanitizeAction, SanitizeOptions, SecureErase, Select, Status, Transport,
};

use crate::pages::{self, Bytes};

fn log(log: u8) -> Request {
    Request::LogPage { log, nsid: NSID_ALL, parameter: 0, specific: 0 }
}

fn group_log(log: u8) -> Request {
    Request::LogPage { log, nsid: 0, parameter: 0, specific: 1 }
}

fn feature(feature: u8) -> Request {
    Request::GetFeature { feature, select: Select::Current, argument: 0 }
}

fn recording() -> Recording {
    let mut recording = Recording::default();
    recording.page(Request::Identify { cns: 1, nsid: 0 }, pages::identify_controller());
    recording.page(Request::Identify { cns: 0, nsid: 1 }, pages::identify_namespace());
    recording.page(log(0x02), pages::smart());
    recording.page(log(0xC0), pages::ocp_smart());
    recording.page(group_log(0x20), pages::fdp_configurations());
    recording.page(log(0x25), pages::power_measurement());
    recording.page(Request::HandleStatus { nsid: 1 }, pages::handle_status());
    recording.value(feature(0x02), 0);
    recording.value(feature(0x07), 0x0007_0007);
    recording.refusal(log(0x81), Status::new(0x4109));
    recording
}

#[test]
fn pages_come_decoded_with_their_bytes_beside_them() {
    let controller = Controller::new(RecordedTransport::new(recording()));
    let identify = controller.identify_controller().unwrap();
    assert_eq!(identify.decoded.model, "Samsung SSD 960 EVO 250GB");
    assert_eq!(identify.raw, pages::identify_controller());
    assert_eq!(controller.identify_namespace(1).unwrap().decoded.block_bytes(), Some(512));
    assert_eq!(controller.smart().unwrap().decoded.composite_temperature_k, 335);
    assert_eq!(controller.ocp_smart().unwrap().decoded.page_version, 3);
    assert_eq!(controller.queue_count().unwrap().submission, 8);
}

#[test]
fn pages_whose_length_is_in_them_are_read_whole() {
    let controller = Controller::new(RecordedTransport::new(recording()));
    assert_eq!(controller.fdp_configurations(1).unwrap().raw, pages::fdp_configurations());
    assert_eq!(controller.power_measurement().unwrap().decoded.bins.len(), 2);
    assert_eq!(controller.handle_status(1).unwrap().decoded.handles.len(), 2);
}

#[test]
fn what_flexible_data_placement_did_is_asked_of_its_group() {
    let mut recording = recording();
    recording.page(group_log(0x21), pages::fdp_handle_usage());
    recording.page(group_log(0x22), pages::fdp_statistics());
    let controller = Controller::new(RecordedTransport::new(recording));
    let usage = controller.fdp_handle_usage(1, 4).unwrap();
    assert_eq!((usage.decoded.handles.len(), &usage.raw), (4, &pages::fdp_handle_usage()), "8 bytes and 8 a handle");
    assert_eq!(controller.fdp_statistics(1).unwrap().raw, pages::fdp_statistics());
    assert!(controller.fdp_statistics(2).is_err(), "another group was not recorded");
}

#[test]
fn a_long_log_is_read_in_parts() {
    let mut recording = Recording::default();
    let entries = (0..200).fold(Bytes::zeros(200 * 64), |page, number| page.u64(number * 64, 200 - number as u64)).0;
    recording.page(log(0x01), entries.clone());
    let controller = Controller::new(RecordedTransport::new(recording));
    let read = controller.error_log(200).unwrap();
    assert_eq!((read.decoded.entries.len(), read.raw.len()), (200, 12_800));
    assert_eq!(read.raw, entries);
}

#[test]
fn a_refusal_answers_with_its_status_and_what_is_not_recorded_says_so() {
    let controller = Controller::new(RecordedTransport::new(recording()));
    let error = controller.sanitize_status().unwrap_err();
    assert_eq!(error.status(), Some(Status::new(0x4109)));
    assert!(error.is_not_supported() && error.to_string().contains("Invalid Log Page"), "{error}");
    assert!(matches!(controller.self_test_log().unwrap_err(), NvmeError::NotRecorded { .. }), "it is not recorded");
}

#[test]
fn a_power_state_that_is_set_is_read_back_and_can_be_restored() {
    let controller = Controller::new(RecordedTransport::new(recording()));
    let before = controller.power_state().unwrap();
    controller.set_power_state(PowerManagement { state: 1, workload_hint: 0 }).unwrap();
    assert_eq!(controller.power_state().unwrap().state, 1);
    controller.set_power_state(before).unwrap();
    assert_eq!(controller.power_state().unwrap(), before);
    assert_eq!(controller.transport().set_features(), [(0x02, 1), (0x02, 0)]);
}

#[test]
fn a_controller_that_refuses_a_state_keeps_its_own() {
    let mut recording = recording();
    recording.refusal(Request::SetFeature { feature: 2, value: 1 }, Status::new(0x4002));
    let controller = Controller::new(RecordedTransport::new(recording));
    let error = controller.set_power_state(PowerManagement { state: 1, workload_hint: 0 }).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("Set Features 02h (power management)") && text.contains("Invalid Field"), "{text}");
    assert_eq!(controller.power_state().unwrap().state, 0);
    assert_eq!(controller.transport().set_features(), []);
}

#[test]
fn a_feature_that_was_never_recorded_cannot_be_set() {
    let controller = Controller::new(RecordedTransport::default());
    let error = controller.set_power_state(PowerManagement { state: 1, workload_hint: 0 }).unwrap_err();
    assert!(matches!(error, NvmeError::NotRecorded { .. }), "{error}");
}

/// A transport that accepts everything and remembers the requests.
#[derive(Default)]
struct Listening(std::sync::Mutex<Vec<Request>>);

impl Transport for Listening {
    fn admin(&self, command: &AdminCommand, _: &mut [u8]) -> Result<u32, NvmeError> {
        self.0.lock().expect("no test panics here").push(command.request().clone());
        Ok(0)
    }
}

#[test]
fn destroying_commands_carry_their_options_where_the_specification_says() {
    let controller = Controller::new(Listening::default());
    let erase = FormatOptions { block_format: 0x21, erase: SecureErase::Cryptographic };
    controller.format_namespace(1, erase, DestroyPermit::from_guard()).unwrap();
    let sanitize = |action, unrestricted_exit, keep_allocated| {
        let options = SanitizeOptions { action, unrestricted_exit, keep_allocated };
        controller.sanitize(options, DestroyPermit::from_guard()).unwrap();
    };
    sanitize(SanitizeAction::BlockErase, true, false);
    sanitize(SanitizeAction::Overwrite { pattern: 0xDEAD_BEEF, passes: 16 }, false, true);
    sanitize(SanitizeAction::CryptoErase, false, false);
    sanitize(SanitizeAction::ExitFailure, false, false);
    let sent = controller.transport().0.lock().unwrap().clone();
    let expected = [
        // LBAFL 1 in bits 3:0, SES 2 in bits 11:9, LBAFU 2 in bits 13:12.
        Request::Format { nsid: 1, value: 1 | 2 << 9 | 2 << 12 },
        Request::Sanitize { value: 2 | 1 << 3, pattern: 0 },
        // 16 passes are written as 0.
        Request::Sanitize { value: 3 | 1 << 9, pattern: 0xDEAD_BEEF },
        Request::Sanitize { value: 4, pattern: 0 },
        Request::Sanitize { value: 1, pattern: 0 },
    ];
    assert_eq!(sent, expected);
}

#[test]
fn a_page_shorter_than_its_structure_is_an_error_that_says_so() {
    let mut recording = Recording::default();
    recording.page(Request::Identify { cns: 1, nsid: 0 }, pages::identify_controller()[..100].to_vec());
    let decoded = Controller::new(RecordedTransport::new(recording)).identify_controller().unwrap().decoded;
    assert_eq!(decoded.serial, "S3ESNX0J219064Y", "what is missing reads as zeros");
    let error = IdentifyController::decode(&pages::identify_controller()[..100]).unwrap_err().to_string();
    assert!(error.contains("4096 bytes are needed, but it has 100"), "{error}");
}
