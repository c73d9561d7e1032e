//! Each format by a small trace.

use drivelab_core::load::OpKind;
use drivelab_core::replay::TraceOp;

use super::{all, surveyed};
use crate::format::Format;
use crate::survey::SizeClass;

const KIB: u64 = 1024;

fn op(at_us: u64, op: OpKind, offset: u64, length: u64) -> TraceOp {
    TraceOp { at_ns: at_us * 1000, op, offset, length }
}

fn expect(format: Format, text: &str, ops: &[TraceOp]) {
    assert_eq!(all(text, None, None).unwrap(), ops, "{format}, found out");
    assert_eq!(all(text, Some(format), None).unwrap(), ops, "{format}, stated");
    assert_eq!(surveyed(text.as_bytes(), None).unwrap().facts.format, format.name());
}

#[test]
fn fio_version_2_waits_between_operations() {
    let text = "fio version 2 iolog\n/dev/sdb add\n/dev/sdb open\n/dev/sdb write 4096 8192\n/dev/sdb wait 250\n\
                /dev/sdb read 0 512\n/dev/sdb wait 50\n/dev/sdb datasync\n/dev/sdb trim 1048576 65536\n/dev/sdb close\n";
    let ops = [
        op(0, OpKind::Write, 4 * KIB, 8 * KIB),
        op(250, OpKind::Read, 0, 512),
        op(300, OpKind::Flush, 0, 0),
        op(300, OpKind::Trim, 1024 * KIB, 64 * KIB),
    ];
    expect(Format::FioV2, text, &ops);
}

#[test]
fn fio_version_3_begins_each_line_with_its_time() {
    let text = "fio version 3 iolog\n0 f add\n10 f open\n1000 f read 0 4096\n1500 f sync 0 0\n9999 f write 4096 4096\n10000 f close\n";
    let ops =
        [op(0, OpKind::Read, 0, 4 * KIB), op(500, OpKind::Flush, 0, 0), op(8999, OpKind::Write, 4 * KIB, 4 * KIB)];
    expect(Format::FioV3, text, &ops);
}

#[test]
fn blkparse_replays_what_was_queued_and_stops_at_the_summary() {
    let text = "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n\
                \x20 8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]\n\
                \x20 8,0    3        0     0.000002000     0  m   N cfq697S / alloced\n\
                \x20 8,0    1        4     0.000250000   512  Q  RA 0 + 1 [cat]\n\
                \x20 8,0    1        5     0.000300000   512  Q FWS [sync]\n\
                \x20 8,0    1        6     0.001000000   512  Q   D 8 + 16 [fstrim]\n\
                \x20 8,0    3        3     0.001829000     0  C   W 223490 + 8 [0]\n\
                CPU3 (8,0):\n Reads Queued:           1,        1KiB\nThroughput (R/W): 0KiB/s / 4KiB/s\n";
    let ops = [
        op(0, OpKind::Write, 223_490 * 512, 4 * KIB),
        op(250, OpKind::Read, 0, 512),
        op(300, OpKind::Flush, 0, 0),
        op(1000, OpKind::Trim, 8 * 512, 8 * KIB),
    ];
    expect(Format::Blkparse, text, &ops);
}

#[test]
fn a_queued_operation_of_a_kind_that_nobody_knows_is_left_out_and_counted() {
    let text = "8,0 3 1 0.000000000 697 Q W 223490 + 8 [a]\n8,0 3 2 0.000001000 697 Q XX 8 + 8 [a]\n\
                8,0 3 3 0.000002000 697 Q N 8 + 8 [a]\n8,0 3 4 0.000003000 697 C XX 8 + 8 [a]\n";
    let survey = surveyed(text.as_bytes(), None).unwrap();
    assert_eq!((survey.facts.writes, survey.facts.empty), (1, 0));
    assert_eq!(survey.unknown, 1, "only queued operations, and no command without data");
}

#[test]
fn the_formats_with_commas() {
    let two = [op(0, OpKind::Read, 8 * KIB, 4 * KIB), op(1500, OpKind::Write, 0, 512)];
    let msr = "128166372003061629,usr,0,Read,8192,4096,151\n128166372003076629,usr,0,Write,0,512,99\n";
    expect(Format::Msr, msr, &two);
    let alibaba = "3,R,8192,4096,1577808000000046\n3,W,0,512,1577808000001546\n";
    expect(Format::Alibaba, alibaba, &two);
    expect(Format::Alibaba, &format!("device_id,opcode,offset,length,timestamp\n{alibaba}"), &two);
    let systor = "Timestamp,Response,IOType,LUN,Offset,Size\n1455592081.000000,0.1,R,4,8192,4096\n1455592081.001500,,W,4,0,512\n";
    expect(Format::Systor, systor, &two);
    let spc = "0,16,4096,r,0.000000\n0,0,512,W,0.001500,7\n";
    expect(Format::Spc, spc, &two);
    let whole_seconds = [op(0, OpKind::Read, 8 * KIB, 4 * KIB), op(2_000_000, OpKind::Write, 512, 512)];
    expect(Format::Tencent, "1538323199,16,8,0,1283\n1538323201,1,1,1,1283\n", &whole_seconds);
}

#[test]
fn lines_may_end_as_on_windows_and_a_last_number_without_an_end_may_be_cut() {
    assert_eq!(all("3,R,0,512,0\r\n\r\n3,W,512,512,1\r\n", None, None).unwrap().len(), 2);
    let error = all("3,R,0,512,0\r\n\r\n3,W,512,512,1", None, None).unwrap_err().to_string();
    assert!(error.contains("line 3") || error.contains(":3"), "{error}");
}

#[test]
fn one_device_of_several_is_taken_alone_and_its_times_begin_at_its_first_operation() {
    let text = "1,R,0,512,100\n2,W,4096,512,160\n1,R,512,512,200\n2,W,0,1024,260\n";
    let second = [op(0, OpKind::Write, 4 * KIB, 512), op(100, OpKind::Write, 0, KIB)];
    assert_eq!(all(text, None, Some("2")).unwrap(), second);
    let survey = surveyed(text.as_bytes(), None).unwrap();
    assert_eq!(
        survey.devices.iter().map(|(name, count)| (name.as_str(), *count)).collect::<Vec<_>>(),
        [("1", 2), ("2", 2)]
    );
}

#[test]
fn a_survey_counts_what_is_there() {
    let text = "1,R,0,4096,0\n1,R,4096,4096,10\n1,W,100,1000,5\n1,W,65536,0,20\n1,R,1048576,131072,30\n";
    let survey = surveyed(text.as_bytes(), None).unwrap();
    let facts = &survey.facts;
    assert_eq!((facts.reads, facts.writes, facts.empty, facts.out_of_order), (3, 1, 1, 1));
    assert_eq!((facts.read.get(), facts.written.get()), (8192 + 131_072, 1000));
    assert_eq!((facts.largest.get(), facts.end.get(), facts.duration.get()), (131_072, 1_179_648, 30_000));
    assert_eq!((survey.sequential_reads, survey.sequential_writes), (1, 0));
    let size = |bytes: u64| survey.sizes.get(&bytes).copied().unwrap_or_default();
    assert_eq!(size(4096), SizeClass { reads: 2, writes: 0 });
    assert_eq!(size(1024), SizeClass { reads: 0, writes: 1 });
    assert_eq!(facts.hash, blake3::hash(text.as_bytes()).to_hex().to_string());
    // The operation that came too early is replayed at the latest time before it.
    assert_eq!(all(text, None, None).unwrap().iter().map(|op| op.at_ns / 1000).collect::<Vec<_>>(), [0, 10, 10, 30]);
}
