//! Bytes of any content and length: an answer or an error, never a panic.

use drivelab_nvme::decoders;
use proptest::prelude::*;

use crate::pages::samples;

#[test]
fn every_decoder_has_a_page() {
    for decoder in decoders() {
        let (_, _, page) = samples().into_iter().find(|(name, _, _)| *name == decoder.name).expect(decoder.name);
        let value = (decoder.decode)(&page).unwrap_or_else(|error| panic!("{}: {error}", decoder.name));
        assert!(value.is_object(), "{}", decoder.name);
    }
}

#[test]
fn every_page_is_read_at_every_length() {
    for (name, _, page) in samples() {
        let decode = decoders().iter().find(|decoder| decoder.name == name).expect(name).decode;
        for length in 0..=page.len() {
            let _ = decode(&page[..length]);
        }
    }
}

#[test]
fn pages_of_one_repeated_byte_are_read() {
    for byte in 0..=u8::MAX {
        for length in [0, 1, 8, 16, 47, 48, 64, 256, 512, 564, 1024, 4096, 5000] {
            for decoder in decoders() {
                let _ = (decoder.decode)(&vec![byte; length]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_of_any_length_are_read(bytes in prop::collection::vec(any::<u8>(), 0..5000)) {
        for decoder in decoders() {
            let _ = (decoder.decode)(&bytes);
        }
    }

    #[test]
    fn real_pages_with_some_bytes_changed_are_read(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        for (name, _, mut page) in samples() {
            for (at, byte) in &changes {
                let at = at.index(page.len());
                page[at] = *byte;
            }
            let decode = decoders().iter().find(|decoder| decoder.name == name).expect(name).decode;
            let _ = decode(&page);
        }
    }
}
