//! A controller of recorded pages: what is asked, what is kept, what is set and restored.

use drivelab_nvme::{
    AdminCommand, Controller, DestroyPermit, FormatOptions, IdentifyController, Keeper, NSID_ALL, NvmeError,
    PowerManagement, RecordedTransport, Recording, Request, SanitizeAction, SanitizeOptions, SecureErase, Select,
    Status, Transport,
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
fn a_long_log_is_read_in_parts_and_kept_whole() {
    let mut recording = Recording::default();
    let entries = (0..200).fold(Bytes::zeros(200 * 64), |page, number| page.u64(number * 64, 200 - number as u64)).0;
    recording.page(log(0x01), entries.clone());
    let controller = Controller::new(Keeper::new(RecordedTransport::new(recording)));
    let read = controller.error_log(200).unwrap();
    assert_eq!((read.decoded.entries.len(), read.raw.len()), (200, 12_800));
    controller.error_log(200).unwrap();
    let (_, kept) = controller.into_transport().into_parts();
    let again = Controller::new(RecordedTransport::new(kept)).error_log(200).unwrap();
    assert_eq!(again.raw, entries, "read twice and kept once");
}

#[test]
fn what_was_kept_survives_json_and_answers_as_before_refusals_included() {
    let controller = Controller::new(Keeper::new(RecordedTransport::new(recording())));
    controller.identify_controller().unwrap();
    controller.power_state().unwrap();
    assert!(controller.sanitize_status().is_err());
    let text = serde_json::to_string(&controller.transport().recording()).unwrap();
    let restored: Recording = serde_json::from_str(&text).unwrap();
    assert_eq!(restored.iter().count(), 3);
    let again = Controller::new(RecordedTransport::new(restored));
    assert_eq!(again.identify_controller().unwrap().raw, pages::identify_controller());
    let error = again.sanitize_status().unwrap_err();
    assert_eq!(error.status(), Some(Status::new(0x4109)));
    assert!(error.is_not_supported() && error.to_string().contains("Invalid Log Page"), "{error}");
    assert!(matches!(again.smart().unwrap_err(), NvmeError::NotRecorded { .. }), "it was not asked for");
}

#[test]
fn a_recording_with_broken_digits_is_refused() {
    for data in ["abc", "zz", "0\u{e9}"] {
        let text = format!(
            "[{{\"request\": {{\"identify\": {{\"cns\": 1, \"nsid\": 0}}}}, \
             \"answer\": {{\"done\": {{\"dword0\": 0, \"data\": \"{data}\"}}}}}}]"
        );
        assert!(serde_json::from_str::<Recording>(&text).is_err(), "{data}");
    }
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
fn requests_have_names_of_their_own() {
    let requests = [
        Request::Identify { cns: 1, nsid: 0 },
        Request::Identify { cns: 0, nsid: 1 },
        Request::Identify { cns: 0, nsid: 2 },
        log(0x02),
        group_log(0x09),
        Request::LogPage { log: 0x23, nsid: 0, parameter: 1, specific: 1 },
        feature(0x04),
        Request::GetFeature { feature: 4, select: Select::Current, argument: 0x10000 },
        Request::SecurityReceive { protocol: 1, specific: 1 },
        Request::HandleStatus { nsid: 1 },
    ];
    let names: std::collections::BTreeSet<String> = requests.iter().map(Request::name).collect();
    assert_eq!(names.len(), requests.len(), "{names:?}");
    let safe = |name: &String| name.bytes().all(|sign| sign.is_ascii_alphanumeric() || sign == b'-');
    assert!(names.iter().all(safe), "names of files: {names:?}");
}

#[test]
fn a_page_shorter_than_its_structure_is_an_error_that_says_so() {
    let mut recording = Recording::default();
    recording.page(Request::Identify { cns: 1, nsid: 0 }, pages::identify_controller()[..100].to_vec());
    let decoded = Controller::new(RecordedTransport::new(recording)).identify_controller().unwrap().decoded;
    assert_eq!(decoded.serial, "S3ESNX0J219064Y", "what is missing reads as zeros");
    let error = IdentifyController::decode(&pages::identify_controller()[..100]).unwrap_err().to_string();
    assert!(error.contains("4096 bytes are needed and 100 are there"), "{error}");
}
