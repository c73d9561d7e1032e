//! Flexible data placement (NVMe Base 2.1): pages whose length depends on their content.

use drivelab_nvme::{
    FdpConfigurations, FdpEvents, FdpHandleUsage, FdpStatistics, HandleKind, HandleStatusList, HandleUse,
};

use crate::pages::{self, Bytes, decode};
use crate::rows::{hold, row};

#[test]
fn configurations_are_where_the_specification_says() {
    let page = Bytes(pages::fdp_configurations()).put(18, &[0x95]).u32(40, 3600).0;
    let found = FdpConfigurations::decode(&page).unwrap();
    let [only] = &found.configurations[..] else { panic!("one configuration") };
    assert_eq!(found.size_bytes, 88);
    let attributes = only.attributes;
    assert_eq!((attributes.reclaim_group_bits, attributes.volatile_write_cache, attributes.valid), (5, true, true));
    assert_eq!((only.reclaim_groups, only.placement_identifiers, only.namespaces), (1, 128, 256));
    assert_eq!((only.reclaim_unit_bytes, only.time_limit_s), (96 << 20, 3600));
    assert_eq!(only.handles, [HandleKind::InitiallyIsolated, HandleKind::PersistentlyIsolated]);
    assert_eq!(FdpConfigurations::length(&page[..16]).unwrap(), 88);
    assert!(FdpConfigurations::decode(&page[..87]).is_err() && FdpConfigurations::length(&page[..15]).is_err());
}

#[test]
fn a_second_configuration_begins_where_the_first_says_that_it_ends() {
    let mut page = Bytes(pages::fdp_configurations()).u16(0, 1).u16(16, 80).0;
    page.resize(96, 0);
    page.extend(&pages::fdp_configurations()[16..]);
    page[98] = 0x00;
    let found = FdpConfigurations::decode(&page).unwrap().configurations;
    assert_eq!((found.len(), found[0].attributes.valid, found[1].attributes.valid), (2, true, false));
}

#[test]
fn a_configuration_that_contradicts_itself_is_refused() {
    let short = Bytes(pages::fdp_configurations()).u16(16, 63).0;
    assert!(FdpConfigurations::decode(&short).unwrap_err().to_string().contains("63 bytes long"));
    let handles = Bytes(pages::fdp_configurations()).u16(24, 3).0;
    assert!(FdpConfigurations::decode(&handles).unwrap_err().to_string().contains("3 handles"));
    let more = Bytes(pages::fdp_configurations()).u16(0, 1).0;
    assert!(FdpConfigurations::decode(&more).is_err(), "a second one that is missing");
}

#[test]
fn uses_of_handles_are_entries_of_eight_bytes() {
    let usage = FdpHandleUsage::decode(&pages::fdp_handle_usage()).unwrap();
    assert_eq!(usage.handles, [HandleUse::ByHost, HandleUse::ByController, HandleUse::Unused, HandleUse::Reserved(9)]);
    assert!(FdpHandleUsage::decode(&pages::fdp_handle_usage()[..32]).is_err());
}

#[test]
fn statistics_are_where_the_specification_says() {
    let rows = [
        row(0, &[1], "/host_bytes_written", 4097),
        row(16, &[2], "/media_bytes_written", 8194),
        row(32, &[3], "/media_bytes_erased", 16_387),
    ];
    hold(&decode("fdp_statistics"), FdpStatistics::SIZE, &pages::fdp_statistics(), &rows);
}

#[test]
fn events_say_only_what_their_flags_vouch_for() {
    let events = FdpEvents::decode(&pages::fdp_events()).unwrap().events;
    let [moved, reset] = &events[..] else { panic!("two events") };
    assert_eq!((moved.kind, moved.placement_identifier, moved.namespace), (0x80, Some(5), Some(1)));
    assert_eq!((moved.timestamp_ms, moved.reclaim_group, moved.handle), (0x0605_0403_0201, Some(7), Some(3)));
    assert_eq!((reset.kind, reset.placement_identifier, reset.namespace, reset.handle), (2, None, None, None));
    let more = Bytes(pages::fdp_events()).u32(0, 3).0;
    assert!(FdpEvents::decode(&more).unwrap_err().to_string().contains("3 events are announced"));
    assert!(FdpEvents::decode(&Bytes::zeros(64).u32(0, u32::MAX).0).is_err());
}

#[test]
fn the_status_of_handles_is_where_the_specification_says() {
    let found = HandleStatusList::decode(&pages::handle_status()).unwrap().handles;
    let [first, second] = &found[..] else { panic!("two handles") };
    assert_eq!((first.placement_identifier, first.handle), (0, 1));
    assert_eq!((first.time_left_s, first.available_blocks), (60, 24_576));
    assert_eq!((second.placement_identifier, second.handle, second.available_blocks), (1, 2, 100));
    assert_eq!(HandleStatusList::length(&pages::handle_status()[..16]).unwrap(), 80);
    assert!(HandleStatusList::decode(&pages::handle_status()[..79]).is_err());
}
