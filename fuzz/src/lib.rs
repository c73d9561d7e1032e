//! What every fuzz target does: give the bytes to one decoder, reader or importer and be content with an answer or an error.
//!
//! A panic, an overflow, an endless loop or memory without end is a finding. Those themselves live in the crates;
//! the tests there replay `corpus/`, so what fuzzing found once stays found on stable Rust.

/// Bytes for a decoder of `drivelab-nvme`.
///
/// # Panics
/// There is no decoder of this name.
pub fn nvme(name: &str, bytes: &[u8]) {
    let decoder = drivelab_nvme::decoder(name).expect("each target is named after its decoder");
    let _ = (decoder.decode)(bytes);
}

/// Bytes for a decoder of `drivelab-ata`.
///
/// # Panics
/// There is no decoder of this name.
pub fn ata(name: &str, bytes: &[u8]) {
    let decoder = drivelab_ata::decoder(name).expect("each target is named after its decoder");
    let _ = (decoder.decode)(bytes);
}

/// Bytes for the reader of a format of traces, as the check of a whole trace reads them; and once more with the format
/// found out.
///
/// # Panics
/// There is no format of this name, or an operation lies outside of what the check says of the trace.
pub fn trace(format: &str, bytes: &[u8]) {
    let stated: drivelab_trace::Format = format.parse().expect("each target is named after its format");
    let survey = drivelab_trace::survey_of("trace", bytes, Some(stated), None);
    let _ = drivelab_trace::survey_of("trace", bytes, None, None);
    let Ok(mut reader) = drivelab_trace::Reader::new("trace", bytes, Some(stated)) else { return };
    let mut end = 0;
    while let Ok(Some(record)) = reader.next_record() {
        end = end.max(record.offset.saturating_add(record.bytes));
    }
    if let Ok(survey) = survey {
        assert!(survey.facts.end.get() <= end, "the check saw an operation that the reader does not have");
    }
}

/// Text for the importer of fio job files; what it makes is given to the methodology language.
pub fn import_fio(bytes: &[u8]) {
    imported(bytes, drivelab_interop::fio::import);
}

/// Text for the importer of Vdbench parameter files; what it makes is given to the methodology language.
pub fn import_vdbench(bytes: &[u8]) {
    imported(bytes, drivelab_interop::vdbench::import);
}

type Import = fn(
    &str,
    &str,
    &drivelab_interop::Surroundings<'_>,
) -> Result<drivelab_interop::Imported, drivelab_interop::Wrong>;

fn imported(bytes: &[u8], import: Import) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let around = drivelab_interop::Surroundings {
        variable: &|name| (name == "SIZE").then(|| "32m".to_owned()),
        // An included file that includes itself must not be followed for ever.
        include: &|file| if file.ends_with('x') { Err("not there".to_owned()) } else { Ok(text.to_owned()) },
    };
    match import("imported", text, &around) {
        Ok(imported) => drop(drivelab_method::parse("imported.toml", &imported.toml)),
        Err(wrong) => drop(wrong.to_string()),
    }
}
