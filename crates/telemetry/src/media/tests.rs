//! Which log is read, on pages written by hand.

use drivelab_core::clock::MonotonicClock;
use drivelab_nvme::{NSID_ALL, RecordedTransport, Recording, Request};

use super::*;

fn group(log: u8) -> Request {
    Request::LogPage { log, nsid: 0, parameter: 0, specific: GROUP }
}

fn open(recording: Recording) -> Result<MediaWrites<RecordedTransport>, String> {
    let controller = Controller::new(RecordedTransport::new(recording));
    MediaWrites::open(controller, "nvme0n1", "/dev/nvme0".to_owned(), Nanos::from_secs(10))
}

fn values(source: &mut MediaWrites<RecordedTransport>) -> Vec<Option<f64>> {
    source.read(&MonotonicClock::starting_at(0)).expect("a reading").remove(0).values
}

/// An endurance group to which hosts wrote 3 GB and which wrote 5 GB to its media.
fn endurance_group() -> Vec<u8> {
    let mut page = vec![0u8; 512];
    page[64..80].copy_from_slice(&3u128.to_le_bytes());
    page[80..96].copy_from_slice(&5u128.to_le_bytes());
    page
}

#[test]
fn the_finest_log_is_read_and_counts_bytes() {
    let mut statistics = vec![0u8; 64];
    statistics[..16].copy_from_slice(&4096u128.to_le_bytes());
    statistics[16..32].copy_from_slice(&8192u128.to_le_bytes());
    let mut recording = Recording::default();
    recording.page(group(0x22), statistics);
    recording.page(group(0x09), endurance_group());
    let mut source = open(recording).expect("two logs");
    assert_eq!(values(&mut source), [Some(4096.0), Some(8192.0)]);
    let described = source.describe();
    assert_eq!((described.kind, described.series.len()), (SourceKind::MediaWrites, 2));
    assert!(described.accuracy.contains("22h"), "{}", described.accuracy);
}

#[test]
fn the_group_counts_thousand_millions_and_only_where_it_counts_media() {
    let mut recording = Recording::default();
    recording.page(group(0x09), endurance_group());
    assert_eq!(values(&mut open(recording).expect("one log")), [Some(3e9), Some(5e9)]);
    let mut silent = Recording::default();
    silent.page(group(0x09), vec![0; 512]);
    let refused = open(silent).err().expect("it counts nothing");
    assert!(refused.contains("no log of the drive counts"), "{refused}");
    assert!(open(Recording::default()).is_err());
}

#[test]
fn the_ocp_log_stands_beside_the_host_writes_of_smart() {
    let mut smart = vec![0u8; 512];
    smart[48..64].copy_from_slice(&2u128.to_le_bytes());
    let mut ocp = vec![0u8; 512];
    ocp[..16].copy_from_slice(&1_536_000u128.to_le_bytes());
    ocp[496..].copy_from_slice(&[
        0xC5, 0xAF, 0x10, 0x28, 0xEA, 0xBF, 0xF2, 0xA4, 0x9C, 0x4F, 0x6F, 0x7C, 0xC9, 0x14, 0xD5, 0xAF,
    ]);
    let mut recording = Recording::default();
    recording.page(Request::LogPage { log: 2, nsid: NSID_ALL, parameter: 0, specific: 0 }, smart);
    recording.page(Request::LogPage { log: 0xC0, nsid: NSID_ALL, parameter: 0, specific: 0 }, ocp);
    // Two units of 512,000 bytes, and 1.5 times that on the media.
    assert_eq!(values(&mut open(recording).expect("the OCP log")), [Some(1_024_000.0), Some(1_536_000.0)]);
}
