//! A controller of recorded pages. Nothing in this file was tried on hardware; the pages are written for the test.

use drivelab_core::probe::{TargetIdentity, WriteOutlook};
use drivelab_nvme::{NSID_ALL, RecordedTransport, Recording, Request};

use super::*;

fn looked(recording: Recording) -> TargetProbe {
    let mut probe = TargetProbe {
        path: PathBuf::from("/dev/nvme9n1"),
        identity: TargetIdentity::default(),
        devices: Vec::new(),
        used_by: Vec::new(),
        writing: WriteOutlook::WithDestroy { id: String::new() },
        health: Health::Unknown,
        warnings: Vec::new(),
        temperatures: Vec::new(),
        queues: None,
        pcie: None,
        nvme: None,
        ata: None,
        contradictions: Vec::new(),
        not_known: Vec::new(),
        raw: Vec::new(),
    };
    let controller = Controller::new(RecordedTransport::new(recording));
    let mut asking = Asking { controller, raw: Vec::new(), not_known: Vec::new(), barred: false };
    full(&mut probe, &mut asking, Path::new("/nonexistent"), "nvme9".to_owned());
    probe.raw = asking.raw;
    probe
}

fn smart_log() -> Request {
    Request::LogPage { log: 0x02, nsid: NSID_ALL, parameter: 0, specific: 0 }
}

/// Identify, and a SMART log whose composite temperature is `kelvin`, of a used drive with hours and data.
fn drive(kelvin: u16) -> Recording {
    let mut smart = vec![0; 512];
    smart[1..3].copy_from_slice(&kelvin.to_le_bytes());
    (smart[3], smart[4]) = (100, 10);
    for counter in [32, 48, 64, 80, 112, 128] {
        smart[counter] = 50;
    }
    let mut recording = Recording::default();
    recording.page(Request::Identify { cns: 1, nsid: 0 }, vec![0; 4096]);
    recording.page(smart_log(), smart);
    recording
}

#[test]
fn what_the_drive_says_that_cannot_be_true_comes_into_the_probe_with_its_figures() {
    assert_eq!(looked(drive(310)).contradictions, []);
    let probe = looked(drive(30));
    let found: Vec<&str> = probe.contradictions.iter().map(|one| one.what.as_str()).collect();
    assert!(found.iter().any(|what| what.contains("composite temperature is impossible")), "{found:?}");
    assert!(probe.contradictions[0].evidence.contains("30 K"), "{:?}", probe.contradictions);
}

#[test]
fn pages_are_kept_as_they_came() {
    let probe = looked(drive(310));
    let page = probe.raw.iter().find(|page| page.name == "nvme SMART log").expect("the page");
    assert_eq!(page.length, 512);
    assert!(page.hex.starts_with("003601640a00"), "{}", page.hex);
}
