//! A drive of recorded pages answers as the drive did.

use drivelab_ata::{AtaCommand, AtaDrive, AtaError, RecordedTransport, Registers, Verdict};

use crate::build::Page;

#[test]
fn recorded_pages_are_read_with_the_page_beside_what_they_mean() {
    let page = Page::new().word(0, 0x0040).text(27, 20, "Recorded").0;
    // As a bundle stores it: by name, without the zeros at its end.
    let end = page.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let transport = RecordedTransport::default()
        .with_named_page("ata identify device", &page[..end])
        .with_named_page("nvme smart", &[1; 512])
        .with_page(AtaCommand::SmartThresholds, &[0x10, 0, 5, 36])
        .with_registers(
            AtaCommand::SmartStatus,
            Registers { status: 0x50, error: 0, count: 0, lba: 0x002C_F400, device: 0 },
        )
        .with_abort(AtaCommand::SmartData);
    let drive = AtaDrive::new(transport);
    let identify = drive.identify().unwrap();
    assert_eq!((identify.decoded.model.as_str(), identify.raw.as_slice()), ("Recorded", &page[..]));
    assert_eq!(drive.smart_thresholds().unwrap().decoded.of(5), 36);
    assert_eq!(drive.smart_status().unwrap(), Verdict::Failing);
    let aborted = drive.smart_data().unwrap_err();
    assert!(matches!(aborted, AtaError::Aborted { command: AtaCommand::SmartData, .. }), "{aborted}");
    assert!(aborted.to_string().contains("aborts SMART READ DATA"), "{aborted}");
    let missing = drive.power_mode().unwrap_err();
    assert!(missing.to_string().contains("CHECK POWER MODE is not among the recorded pages"), "{missing}");
}
