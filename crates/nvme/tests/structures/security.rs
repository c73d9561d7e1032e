//! Security protocols and TCG level 0 discovery.

use drivelab_nvme::{Level0, ProtocolList, SecurityClass};

use crate::pages::{self, Bytes};

#[test]
fn protocols_are_a_list_with_its_length_before_it() {
    let list = ProtocolList::decode(&pages::protocol_list()).unwrap();
    assert_eq!(list.protocols, [0x00, 0x01, 0x02, 0xEE]);
    assert!(list.has_tcg() && list.has_ieee_1667());
    let none = ProtocolList::decode(&[0; 8]).unwrap();
    assert!(!none.has_tcg() && !none.has_ieee_1667());
    assert!(ProtocolList::decode(&Bytes::zeros(8).put(7, &[1]).0).is_err(), "one is announced");
    assert!(ProtocolList::decode(&[0; 7]).is_err());
}

/// TCG Opal 2.01, section 3.1.1.
#[test]
fn discovery_tells_class_locking_and_alignment() {
    let found = Level0::decode(&pages::tcg_level_0()).unwrap();
    assert_eq!((found.revision, &found.classes[..]), (1, &[SecurityClass::Opal2][..]));
    let locking = found.locking.unwrap();
    assert!(locking.supported && locking.enabled && locking.locked && locking.media_encrypted);
    assert!(!locking.mbr_enabled && !locking.mbr_done);
    assert_eq!((found.alignment_blocks, found.owner_blocked), (Some(8), Some(true)));
    assert_eq!(found.features, [0x0001, 0x0002, 0x0003, 0x0203, 0x0402]);
}

#[test]
fn every_class_is_known_by_its_code() {
    let classes = [
        (0x0100_u16, SecurityClass::Enterprise),
        (0x0200, SecurityClass::Opal1),
        (0x0203, SecurityClass::Opal2),
        (0x0301, SecurityClass::Opalite),
        (0x0302, SecurityClass::Pyrite1),
        (0x0303, SecurityClass::Pyrite2),
        (0x0304, SecurityClass::Ruby),
        (0x0305, SecurityClass::KeyPerIo),
    ];
    for (code, class) in classes {
        let page = Bytes::zeros(68).put(0, &64_u32.to_be_bytes()).put(48, &code.to_be_bytes()).put(51, &[16]).0;
        assert_eq!(Level0::decode(&page).unwrap().classes, [class]);
        assert!(class.words().starts_with("TCG "));
    }
}

#[test]
fn a_feature_that_runs_past_the_end_is_refused_and_an_unknown_one_is_kept() {
    let unknown = Bytes::zeros(56).put(0, &52_u32.to_be_bytes()).put(48, &[0xC0, 0x01, 0x10, 4]).0;
    assert_eq!(Level0::decode(&unknown).unwrap().features, [0xC001]);
    let long = Bytes::zeros(56).put(0, &52_u32.to_be_bytes()).put(48, &[0x00, 0x02, 0x10, 200]).0;
    assert!(Level0::decode(&long).unwrap_err().to_string().contains("feature 0002h at byte 48"));
    assert!(Level0::decode(&[0; 47]).is_err());
    assert_eq!(Level0::decode(&[0; 48]).unwrap(), Level0::default(), "nothing is announced");
}
