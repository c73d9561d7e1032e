//! A drive behind a transport that answers from pages: what of the registers means what.
//!
//! The kernel's SG_IO against a real ATA disk is tested in the test machine, where QEMU has one.

use std::path::Path;

use drivelab_ata::{AtaCommand, AtaDrive, AtaError, PowerMode, Prediction, Registers, SgTransport, Transport};

use crate::pages;

/// Answers every command with the same registers and page.
struct Fixed(Option<Registers>, Vec<u8>);

impl Transport for Fixed {
    fn send(&self, command: &AtaCommand, data: &mut [u8]) -> Result<Option<Registers>, AtaError> {
        assert_eq!(command.answers_in_registers(), data.is_empty(), "{}", command.name());
        for (to, from) in data.iter_mut().zip(&self.1) {
            *to = *from;
        }
        Ok(self.0)
    }
}

fn registers(count: u8, address: u32) -> Fixed {
    Fixed(Some(Registers { error: 0, status: 0x50, count, address }), Vec::new())
}

#[test]
fn the_prediction_is_in_the_address() {
    let prediction = |address| AtaDrive::new(registers(0, address)).smart_status().unwrap();
    assert_eq!(prediction(0xC2_4F00), Prediction::Well);
    assert_eq!(prediction(0x2C_F400), Prediction::Failing);
    assert_eq!(prediction(0), Prediction::Unknown);
}

#[test]
fn how_awake_it_is_is_in_the_count() {
    let mode = |count| AtaDrive::new(registers(count, 0)).power_mode().unwrap();
    assert_eq!((mode(0x00), mode(0x80), mode(0xFF)), (PowerMode::Standby, PowerMode::Idle, PowerMode::Active));
    assert_eq!(mode(0x40), PowerMode::Reserved(0x40));
}

#[test]
fn registers_that_do_not_come_are_an_error() {
    let text = AtaDrive::new(Fixed(None, Vec::new())).smart_status().unwrap_err().to_string();
    assert!(text.contains("SMART RETURN STATUS") && text.contains("registers"), "{text}");
}

#[test]
fn pages_come_decoded_with_their_bytes_beside_them() {
    let drive = AtaDrive::new(Fixed(None, pages::identify().0));
    let page = drive.identify().unwrap();
    assert_eq!((page.decoded.model.as_str(), page.raw), ("Samsung SSD 850 EVO 250GB", pages::identify().0));
    let smart = AtaDrive::new(Fixed(None, pages::smart_data().sealed())).smart_data().unwrap();
    assert_eq!(smart.decoded.temperature_c(), Some(34));
    assert!(AtaDrive::new(Fixed(None, vec![7; 2048])).tcg_level_0().unwrap().iter().all(|byte| *byte == 7));
}

/// A loop device is a disk without ATA; where there is none, the test says so.
#[test]
fn a_loop_device_says_that_it_is_no_sata_drive() {
    let node = (0..8).map(|number| format!("/dev/loop{number}")).find(|node| Path::new(node).exists());
    let Some(node) = node else {
        println!("skipped: there is no loop device here");
        return;
    };
    match SgTransport::open(Path::new(&node)) {
        Ok(transport) => {
            let text = AtaDrive::new(transport).identify().unwrap_err().to_string();
            assert!(text.contains(&node) && text.contains("no SATA drive"), "{text}");
        }
        Err(error) if error.is_not_permitted() => println!("skipped: {error}"),
        Err(error) => println!("skipped: {error}"),
    }
}
