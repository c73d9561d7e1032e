//! Every structure against pages that are built word by word from the standards' tables, and against arbitrary bytes.

mod build;
mod identify;
mod recorded;
mod smart;

use drivelab_ata::{Registers, Verdict, decoder, decoders};
use proptest::prelude::*;

#[test]
fn each_decoder_has_one_name() {
    let mut names: Vec<_> = decoders().iter().map(|decoder| decoder.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), decoders().len());
    assert!(names.iter().all(|name| decoder(name).is_some_and(|found| found.name == *name)));
    assert!(decoder("ata_nothing").is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Any bytes of any length are decoded or refused, and nothing panics.
    #[test]
    fn any_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
        for decoder in decoders() {
            let _ = (decoder.decode)(&bytes);
        }
    }

    /// Likewise for pages that are long enough and mostly all zeros or all ones, in which reserved values are likely.
    #[test]
    fn odd_pages_give_an_answer(
        fill in prop::sample::select(vec![0_u8, 0xFF]),
        changes in prop::collection::vec((0_usize..572, any::<u8>()), 1..40),
    ) {
        let mut page = vec![fill; 572];
        for (place, value) in changes {
            page[place] = value;
        }
        for decoder in decoders() {
            let _ = (decoder.decode)(&page);
        }
        // A page that says it holds IDENTIFY DEVICE data.
        (page[1], page[56]) = (0x89, 0xEC);
        let _ = (decoder("ata_information_vpd").unwrap().decode)(&page);
    }

    /// A page that is too short reports how much is missing.
    #[test]
    fn a_short_page_says_so(length in 0_usize..512) {
        for name in ["ata_identify_device", "ata_smart_data", "ata_smart_thresholds"] {
            let error = (decoder(name).unwrap().decode)(&vec![1; length]).unwrap_err().to_string();
            prop_assert!(error.contains(&format!("512 bytes are needed, but it has {length}")), "{}", error);
        }
    }

    /// Registers of any content are passed, failing, or reported as neither.
    #[test]
    fn any_registers_give_an_answer(lba in 0_u32..1 << 24, status: u8) {
        let registers = Registers { status, error: 0, count: 0, lba, device: 0 };
        match Verdict::of(&registers) {
            Ok(Verdict::Passed) => prop_assert_eq!(lba >> 8, 0xC24F),
            Ok(Verdict::Failing) => prop_assert_eq!(lba >> 8, 0x2CF4),
            Err(error) => prop_assert!(error.to_string().contains("neither passed")),
        }
    }
}
