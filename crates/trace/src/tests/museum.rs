//! Faulty traces: one broken line each, and the resulting error.

use proptest::prelude::*;

use super::{all, surveyed};
use crate::format::Format;

/// The error for a text.
fn wrong(text: &str, format: Option<Format>) -> String {
    all(text, format, None).expect_err("a trace that is wrong").to_string()
}

#[test]
fn each_broken_line_is_named_with_its_number_and_with_what_was_expected() {
    let fio = "fio version 2 iolog\nf add\n";
    let museum = [
        (format!("{fio}f reed 0 512\n"), "line 3: the action 'reed' is unknown; expected add, open, close, read"),
        (
            format!("{fio}f read 0\n"),
            "line 3: the length in bytes is ''; expected the length in bytes as a whole number",
        ),
        (format!("{fio}f read -1 512\n"), "line 3: the offset in bytes is '-1'"),
        (format!("{fio}f read 0 512 9\n"), "line 3: more fields than the action has"),
        (
            format!("{fio}f read 4096 512\nf read 9223372036854775296 512\n"),
            "line 4: 512 bytes at byte 9223372036854775296, beyond any drive; expected an offset and a length",
        ),
        ("1,R,18446744073709551615,512,0\n".to_owned(), "line 1: 512 bytes at byte 18446744073709551615"),
        (format!("{fio}f\n"), "line 3: no action; expected a file name and one of add"),
        (format!("{fio}f wait 99999999999999999\n"), "line 3: the wait 99999999999999999 is too large"),
        (
            "fio version 3 iolog\n0 f wait 100\n".to_owned(),
            "line 2: a wait in a log of version 3; expected a time at the start",
        ),
        ("fio version 3 iolog\nf read 0 512\n".to_owned(), "line 2: the time in microseconds is 'f'"),
        ("1,R,0,512,0\n1,X,0,512,1\n".to_owned(), "line 2: the kind of operation is 'X'; expected Read, Write, R or W"),
        ("1,R,0,512,0\n\n1,R,0,512\n".to_owned(), "line 3: only 4 fields; expected 5: device_id,opcode"),
        ("1,R,0,512,0\n1,R,0,512,1,2\n".to_owned(), "line 2: more than 5 fields"),
        (
            "1,16,4096,r,0.5\n1,36028797018963969,1,r,1\n".to_owned(),
            "line 2: the offset 36028797018963969 is too large",
        ),
        ("8,0 0 1 0.1 1 Q R 0 + 8 [a]\n8,0 0 1 zero 1 Q R 0 + 8 [a]\n".to_owned(), "line 2: the time is 'zero'"),
        ("8,0 0 1 0.1 1 Q R 0 + 8 [a]\nhello\n".to_owned(), "line 2: no device at the beginning"),
        (
            "8,0 0 1 0.1 1 Q R 0 + 8 [a]\n8,0 0 1 0.2 1 Q R [a]\n".to_owned(),
            "line 2: a queued operation without an address",
        ),
    ];
    for (text, expected) in museum {
        let said = wrong(&text, None);
        assert!(said.contains(expected), "{text:?}: {said}");
        assert!(said.starts_with("the trace 't', line "), "{said}");
    }
}

/// Files that users try to use as traces, each with the advice that turns it into one.
#[test]
fn what_is_nearly_a_trace_is_taken_or_named() {
    let q = "8,0 0 1 0.1 1 Q R 0 + 8 [a]\n";
    let with_head = format!("Input file sda.blktrace.0 added\nInput file sda.blktrace.1 added\n\n{q}");
    assert_eq!(all(&with_head, None, None).expect("a trace").len(), 1);
    assert_eq!(all(&with_head, Some(Format::Blkparse), None).expect("a trace").len(), 1);
    let marked = "\u{feff}fio version 2 iolog\nf add\nf read 0 512\n".to_owned();
    assert_eq!(all(&marked, None, None).expect("a trace").len(), 1);
    let completed = "8,0 0 1 0.1 1 C R 0 + 8 [0]\n8,0 0 2 0.2 1 C R 8 + 8 [0]\n";
    let said = surveyed(completed.as_bytes(), None).unwrap_err().to_string();
    assert!(said.contains("its 2 lines are other actions") && said.contains("queued operations (Q)"), "{said}");
    for magic in [b"\x07\x74\x61\x65\x01\x00".as_slice(), b"\x65\x61\x74\x07\x00\x01"] {
        let said = surveyed(magic, None).unwrap_err().to_string();
        assert!(said.contains("binary output of blktrace") && said.contains("blkparse -i"), "{said}");
    }
    let said = surveyed(b"\x1f\x8b\x08\x00\x00", None).unwrap_err().to_string();
    assert!(said.contains("compressed (gzip)") && said.contains("gunzip"), "{said}");
}

#[test]
fn a_last_line_that_may_be_cut_inside_a_number_is_refused() {
    for (cut, whole) in [
        ("fio version 2 iolog\nf add\nf read 0 40", "fio version 2 iolog\nf add\nf read 0 4096\n"),
        ("1,R,0,512,0\n1,R,0,512,1", "1,R,0,512,0\n1,R,0,512,12\n"),
    ] {
        assert!(wrong(cut, None).contains("the file ends inside this line"), "{cut}");
        assert!(all(whole, None, None).is_ok(), "{whole}");
    }
    // In this trace nothing can be missing.
    assert_eq!(all("8,0 0 1 0.1 1 Q R 0 + 8 [a]", None, None).expect("a trace").len(), 1);
}

#[test]
fn the_last_block_that_a_drive_can_have_is_taken() {
    let all = all("fio version 2 iolog\nf add\nf read 9223372036854775295 512\n", None, None).expect("a trace");
    assert_eq!(all.len(), 1);
}

#[test]
fn what_is_no_trace_is_refused_with_the_formats_that_there_are() {
    assert!(wrong("hello\n", None).contains("fio_v2, fio_v3, blkparse, msr, alibaba, systor17, tencent, spc"));
    assert!(wrong("", None).contains("the file has no content"));
    assert!(wrong("\n \n", None).contains("the file has no content"));
    let long = format!("1,R,0,512,0\n{}\n", "x".repeat(20_000));
    assert!(wrong(&long, None).contains("line 2: the line does not end"));
    let said = surveyed(b"fio version 2 iolog\nf add\n", None).unwrap_err().to_string();
    assert!(said.contains("has no operation"), "{said}");
    let said = surveyed(b"1,R,0,512,0\n", Some("7")).unwrap_err().to_string();
    assert!(said.contains("no operation of device '7'"), "{said}");
    let said = surveyed(b"1,R,0,512,0\n\xff\xfe,R\n", None).unwrap_err().to_string();
    assert!(said.contains("line 2: the line is not text"), "{said}");
}

proptest! {
    /// Whatever the bytes, the result is a trace or an error, never a panic, and never a record that the survey did
    /// not see.
    #[test]
    fn any_bytes_are_a_trace_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400), format in 0_usize..8) {
        let _ = surveyed(&bytes, None);
        let text = String::from_utf8_lossy(&bytes);
        let _ = all(&text, Some(Format::ALL[format]), None);
    }

    /// The same with parts of valid lines.
    #[test]
    fn any_fields_are_a_trace_or_an_error(text in "(8,0|1|f|R|W|,| |\n|Q|read|wait|0|512|\\.|\\+|18446744073709551615){0,60}", format in 0_usize..8) {
        let _ = all(&text, Some(Format::ALL[format]), None);
        let _ = all(&text, None, None);
    }
}
