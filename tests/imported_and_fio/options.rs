//! The table of what is drawn: each option that the import carries over, its values, and the jobs in which it has an
//! effect: alone, and with each other option that it depends on.
//!
//! In a job, `;` separates options, `{name}` is one of the words of [`WORDS`], `DEVICE` a loop device, and `|`
//! separates two concurrent jobs. Jobs are small, because only the operations are compared, not the speed. If both of
//! two concurrent jobs end by their work, the second one keeps a rate, so that it has not done the same when the first
//! one ends; in fio each does its own work, and the import has to report that.

/// An option, its values, and the jobs that it is drawn with; the first job is the smallest one in which it has an
/// effect.
pub struct Row {
    /// Its name.
    pub key: &'static str,
    /// Its values; an empty one is written without `=`.
    pub values: &'static [&'static str],
    /// The jobs.
    pub jobs: &'static [&'static str],
}

/// Words in jobs and values, and their replacements.
pub const WORDS: [(&str, &[&str]); 11] = [
    ("any", &["read", "write", "rw", "randread", "randwrite", "randrw"]),
    ("one", &["read", "write", "randread", "randwrite"]),
    ("order", &["read", "write"]),
    ("random", &["randread", "randwrite"]),
    ("writes", &["write", "randwrite"]),
    ("mix", &["rw", "randrw"]),
    ("size", &["1m", "1536k", "2m", "0x180000"]),
    ("block", &["1k", "4k", "8k", "16k", "12k"]),
    ("draws", &["4m", "6m"]),
    ("engine", &["libaio", "io_uring", "posixaio"]),
    ("rate", &["rate_iops=2000", "rate_iops=1500", "rate=8m", "rate=6m,6m"]),
];

const fn row(key: &'static str, values: &'static [&'static str], jobs: &'static [&'static str]) -> Row {
    Row { key, values, jobs }
}

/// All that is drawn on files.
pub const ROWS: [Row; 69] = [
    row("rw", &["{any}"], &["size={size}", "size={size};bs={block}", "size={size};bs={block};numjobs=2"]),
    row("rw", &["read:8k", "write:4k", "read:-8k", "write:-12k"], &["size=1m;bs=4k", "filesize=1m;size=512k;bs=4k"]),
    row("rw", &["randread:8", "randwrite:4"], &["size={draws};norandommap"]),
    row(
        "bs",
        &["{block}", "{block},", "{block},{block}", ",{block}", "8k:16k", "8k-16k", "4k,,32k"],
        &["rw={one};size={size}", "rw={mix};size={draws};norandommap", "rw={order};size={size};numjobs=3"],
    ),
    row(
        "bssplit",
        &["4k/60:16k/40", "4k/20:8k/50", "4k/50:8k/50,16k/100", "4k/50:8k/50,", "4k/10:8k/0:16k/", "1k/30:4k/70:8k/5"],
        &[
            "rw={order};size={draws}",
            "rw={random};size={draws};norandommap",
            "rw={mix};size={draws};norandommap",
            "rw=randwrite;size={draws};norandommap;{rate};number_ios=300",
        ],
    ),
    row(
        "bsrange",
        &["4k-16k", "4k-10k", "6k-10k", "8k-8k", "1k-8k,4k-16k"],
        &["rw={order};size={draws}", "rw={random};size={draws};norandommap"],
    ),
    row("ioengine", &["{engine}", "psync", "sync", "pvsync2", "mmap"], &["rw={any};size={size}"]),
    row("iodepth", &["1", "4", "32"], &["rw={any};size={size};ioengine={engine}", "rw={any};size={size}"]),
    row(
        "numjobs",
        &["2", "3", "1"],
        &[
            "rw={one};size={size}",
            "rw={one};size={size};filename=FILE",
            "rw={mix};size={size};ioengine={engine};iodepth=4",
        ],
    ),
    row("direct", &["1", "0"], &["rw={any};size={size}", "rw={any};size={size};buffered=1"]),
    row("buffered", &["1", "0"], &["rw={any};size={size}", "rw={any};size={size};direct=1"]),
    row(
        "rwmixread",
        &["90", "50", "20", "0", "100"],
        &[
            "rw={mix};size={draws}",
            "rw={mix};size={draws};rwmixwrite=30",
            "rw=randrw;size={draws};norandommap;bs=4k,8k",
        ],
    ),
    row(
        "rwmixwrite",
        &["90", "40", "5", "0", "100"],
        &[
            "rw={mix};size={draws}",
            "rw={mix};size={draws};rwmixread=70",
            "rw=randrw;size={draws};norandommap;numjobs=2",
        ],
    ),
    row("size", &["{size}", "1000k", "768k"], &["rw={one}", "rw={one};bs={block}", "rw={mix};numjobs=2"]),
    row("size", &["50%", "30%"], &["rw={one};filesize=2m"]),
    row(
        "size",
        &["1m"],
        &[
            "rw={order};filename=FILE|rw={order};size=1m;filename=FILE",
            "rw={order};filename=FILE|rw={order};rate_iops=2000;filename=FILE;size=1m",
        ],
    ),
    row(
        "filesize",
        &["1m", "3m"],
        &[
            "rw={one};size=2m",
            "rw={one}",
            "rw={one};nrfiles=2",
            "rw={order};offset=256k",
            "rw=randread;size=512k;io_size=1m",
        ],
    ),
    row(
        "nrfiles",
        &["3"],
        &[
            "rw={one};size=1000k;bs=16k",
            "rw={one};size=1m",
            "rw={one};filesize=1000k;bs=16k",
            "rw={random};size=1m;bs=16k;norandommap",
        ],
    ),
    row("fill_device", &["1", "0"], &["rw={order};size=1m", "rw={one};filesize=1m"]),
    row(
        "offset",
        &["50%", "30%"],
        &[
            "rw={one};filesize=2m",
            "rw={order};filesize=2m;size=50%",
            "rw={order};filesize=1m;nrfiles=2",
            "rw={one};size=1m",
        ],
    ),
    row("nrfiles", &["2", "4"], &["rw={one};size=2m", "rw={one};filesize=512k", "rw={one};filename=FILE;size=1m"]),
    row(
        "offset",
        &["512k", "1m", "0"],
        &["rw={one};size=1m", "rw={mix};size=1m", "rw={one};size=1m;numjobs=2;filename=FILE"],
    ),
    row(
        "offset_increment",
        &["1m"],
        &[
            "rw={one};size=1m;numjobs=2;filename=FILE",
            "rw={one};size=1m;numjobs=3;filename=FILE;offset=512k",
            "rw={order};size=512k;numjobs=2;filename=FILE",
            "rw={order};filesize=2m;numjobs=2",
            "rw={one};size=1m;numjobs=2",
        ],
    ),
    row("filename", &["FILE"], &["rw={any};size={size}", "rw={order};size={size};numjobs=2"]),
    row(
        "io_size",
        &["512k", "1536k", "2560k", "3m", "50%"],
        &[
            "rw={one};size=1m",
            "rw={random};size=1m;norandommap",
            "rw={one};size=1m;loops=2",
            "rw={one};size=1m;loops=3",
            "rw={mix};size=1m;loops=2",
            "rw={random};size=1m;norandommap;loops=2",
            "rw={one};size=1m;numjobs=2",
        ],
    ),
    row(
        "number_ios",
        &["100", "1000"],
        &[
            "rw={any};size=2m",
            "rw={any};size=1m;loops=2",
            "rw={random};size=1m;norandommap;numjobs=2",
            "rw={one};size=1m;time_based;runtime=300ms;rate_iops=1000",
        ],
    ),
    row(
        "number_ios",
        &["100"],
        &["rw={order};size=1m;filename=FILE|rw={order};rate_iops=2000;filename=FILE;size=1m;number_ios=100"],
    ),
    row("loops", &["2", "3", "0"], &["rw={one};size=512k", "rw={mix};size=1m", "rw={one};size=512k;numjobs=2"]),
    row("runtime", &["300ms", "0", "1m"], &["rw={one};size=2m;rate_iops=1000;number_ios=200", "rw={one};size=1m"]),
    row(
        "runtime",
        &["5s"],
        &["rw={order};size=1m;filename=FILE|rw={order};rate_iops=2000;filename=FILE;size=1m;runtime=5s"],
    ),
    row(
        "time_based",
        &["", "1"],
        &[
            "rw={one};size=1m;runtime=300ms;{rate}",
            "rw={one};size=256k;runtime=300ms;rate_iops=1000",
            "rw=read;size=1m;runtime=300ms;rate_iops=1000;filename=FILE\
             |rw={order};size=1m;runtime=300ms;rate_iops=2000;filename=FILE;time_based",
        ],
    ),
    row("ramp_time", &["100ms"], &["rw={one};size=1m;runtime=300ms;time_based;{rate}"]),
    row("startdelay", &["100ms"], &["rw={one};size=1m", "rw={one};size=1m;numjobs=2"]),
    row("stonewall", &["", "1"], &["rw={any};size={size}"]),
    row("wait_for", &["BEFORE"], &["rw={any};size={size}"]),
    row(
        "rate",
        &["8m", "6m,2m", "4m,6m", "4m,"],
        &[
            "rw={one};size=1m;bs=8k",
            "rw=randrw;size=2m;norandommap;time_based;runtime=400ms",
            "rw=randrw;size=2m;norandommap;time_based;runtime=400ms;numjobs=2",
            "rw={random};size=4m;norandommap;bssplit=4k/50:16k/50;number_ios=200",
            "rw={order};size=512k;numjobs=2",
        ],
    ),
    row(
        "rate_iops",
        &["2000", "1500,500", "1000,1000", "600,900"],
        &[
            "rw={one};size=1m",
            "rw=randrw;size=2m;norandommap;time_based;runtime=400ms",
            "rw=randrw;size=2m;norandommap;time_based;runtime=400ms;rwmixread=90",
            "rw=randrw;size=2m;norandommap;time_based;runtime=400ms;numjobs=2",
            "rw={random};size=4m;norandommap;bssplit=4k/50:16k/50;number_ios=200",
            "rw={order};size=512k;numjobs=2",
        ],
    ),
    row(
        "rate_iops",
        &["1000", "4000"],
        &["rw={order};size=512k;filename=FILE|rw={order};rate_iops=2000;filename=FILE;size=512k"],
    ),
    row(
        "rate_process",
        &["poisson", "linear"],
        &["rw={one};size=1m;rate_iops=1500", "rw={one};size=1m;rate=8m", "rw={one};size=1m"],
    ),
    row("thinktime", &["1000", "2ms"], &["rw={one};size=512k", "rw={one};size=256k;ioengine={engine};iodepth=1"]),
    row("thinktime_blocks", &["1", "4"], &["rw={one};size=512k;thinktime=1000"]),
    row("thinktime_blocks_type", &["complete", "issue"], &["rw={one};size=512k;thinktime=1000"]),
    row("thinktime_iotime", &["50ms"], &["rw={one};size=512k;thinktime=20ms"]),
    row(
        "flow",
        &["1", "4"],
        &[
            "rw=randread;size=1m;number_ios=100",
            "rw=randread;size=1m;time_based;runtime=200ms;filename=FILE|rw=randwrite;size=1m;time_based;runtime=200ms;flow=2;filename=FILE",
        ],
    ),
    row(
        "fsync",
        &["1", "8", "0"],
        &[
            "rw={writes};size=512k;bs=8k",
            "rw={writes};size=512k;bs=8k;fdatasync=8",
            "rw=randrw;size=1m;bs=8k",
            "rw=read;size=512k",
        ],
    ),
    row("fdatasync", &["4", "32"], &["rw={writes};size=512k;bs=8k", "rw=randrw;size=1m;bs=8k", "rw=read;size=512k"]),
    row("sync", &["1", "0", "none"], &["rw={writes};size=256k;bs=8k", "rw={writes};size=256k;bs=8k;fsync=8"]),
    row(
        "verify",
        &["crc32c", "md5"],
        &["rw={writes};size=1m", "rw={writes};size=1m;bs=16k;ioengine={engine};iodepth=4"],
    ),
    row(
        "verify",
        &["crc32c"],
        &[
            "rw={writes};size=1m;time_based;runtime=300ms;rate_iops=1000",
            "rw={writes};size=1m;runtime=5s",
            "rw=randwrite;size=1m;norandommap",
            "rw={writes};size=1m;io_size=512k",
            "rw={writes};size=1m;io_size=2m",
            "rw={writes};size=1m;io_size=3m;do_verify=0",
            "rw={writes};size=512k;loops=2",
            "rw={writes};size=1m;bs=8k;fsync=8",
            "rw={writes};size=1m;bs=8k;fdatasync=8;do_verify=0",
        ],
    ),
    row("do_verify", &["0", "1"], &["rw={writes};size=1m;verify=crc32c"]),
    row(
        "percentage_random",
        &["30", "0", "100", "80"],
        &["rw={random};size={draws};norandommap", "rw={random};size={draws}"],
    ),
    row(
        "percentage_random",
        &["100,0", "0,100", "60,20"],
        &["rw=randrw;size={draws};norandommap", "rw={random};size={draws}"],
    ),
    row(
        "norandommap",
        &["", "1", "0"],
        &["rw={random};size={draws}", "rw=randrw;size={draws}", "rw={random};size={size};numjobs=2;filename=FILE"],
    ),
    row(
        "random_distribution",
        &["random", "zoned:60/10:40/90", "zoned:50/5:30/15:20/", "normal:20"],
        &[
            "rw={random};size={draws}",
            "rw=randrw;size={draws}",
            "rw={random};size={draws};norandommap;numjobs=2;filename=FILE",
        ],
    ),
    row(
        "random_distribution",
        &["zipf:1.2", "zipf:0.8", "pareto:0.3"],
        &["rw={random};size={draws}", "rw=randrw;size={draws}"],
    ),
    row("randseed", &["7", "123456789"], &["rw={any};size={size}"]),
    row("cpus_allowed", &["0", "0-1"], &["rw={any};size={size}", "rw={one};size={size};numjobs=2"]),
    row("cpus_allowed_policy", &["split", "shared"], &["rw={one};size={size};numjobs=2;cpus_allowed=0-1"]),
    row("kb_base", &["1000", "1024"], &["rw={one};size=1024kib;bs=4kib", "rw={one};size=1000k;bs=4ki"]),
    row("continue_on_error", &["all", "none"], &["rw={any};size={size}"]),
    row("exit_what", &["all", "group", "stonewall"], &["rw={any};size={size}"]),
    row("invalidate", &["0", "1"], &["rw={any};size={size}", "rw={any};size={size};direct=1"]),
    row("pre_read", &["0", "1"], &["rw={any};size={size}"]),
    row(
        "buffer_compress_percentage",
        &["50", "0"],
        &["rw={writes};size={size}", "rw={writes};size={size};buffer_compress_chunk=512"],
    ),
    row(
        "buffer_compress_chunk",
        &["512"],
        &["rw={writes};size={size};buffer_compress_percentage=30", "rw={writes};size={size}"],
    ),
    row("dedupe_percentage", &["40"], &["rw={writes};size={size}", "rw={mix};size={size}"]),
    row(
        "zero_buffers",
        &["", "1"],
        &["rw={writes};size={size}", "rw={writes};size={size};buffer_pattern=0xff", "rw=read;size={size}"],
    ),
    row("refill_buffers", &["", "0"], &["rw={writes};size={size}", "rw={writes};size={size};scramble_buffers=0"]),
    row("scramble_buffers", &["0", "1"], &["rw={writes};size={size}"]),
];

/// Options drawn on a loop device: fio does not trim files, and a device has a size.
pub const ON_DEVICE: [Row; 9] = [
    row(
        "rw",
        &["trim", "randtrim", "{any}"],
        &["size={size};filename=DEVICE", "size={size};bs=16k,8k,64k;filename=DEVICE"],
    ),
    row(
        "rw",
        &["trim", "randtrim"],
        &[
            "size=1m;rate_iops=200;number_ios=60;filename=DEVICE",
            "size=1m;number_ios=100;filename=DEVICE",
            "size=512k;io_size=256k;filename=DEVICE",
            "size=512k;io_size=1m;filename=DEVICE",
            "size=512k;loops=2;filename=DEVICE",
            "size=512k;numjobs=2;filename=DEVICE",
        ],
    ),
    row("rw", &["trimwrite", "randtrimwrite"], &["size={size};filename=DEVICE"]),
    row("offset_increment", &["25%"], &["rw={one};bs=64k;size=25%;numjobs=4;filename=DEVICE"]),
    row(
        "offset_increment",
        &["25%", "4m"],
        &["rw={order};bs=64k;numjobs=4;filename=DEVICE", "rw={order};bs=64k;size=50%;numjobs=2;filename=DEVICE"],
    ),
    row(
        "offset",
        &["25%"],
        &[
            "rw={one};bs=64k;filename=DEVICE",
            "rw={one};bs=64k;size=25%;filename=DEVICE",
            "rw={one};bs=64k;size=8m;filename=DEVICE",
            "rw={order};bs=64k;filesize=16m;filename=DEVICE",
        ],
    ),
    row("offset", &["4m"], &["rw={order};bs=64k;filename=DEVICE"]),
    row(
        "fill_device",
        &["1", "0"],
        &[
            "rw=write;bs=64k;filename=DEVICE",
            "rw={one};bs=64k;size=8m;filename=DEVICE",
            "rw=write;bs=64k;filesize=8m;filename=DEVICE",
        ],
    ),
    row("buffer_pattern", &["0xdeadbeef", "\"abc\""], &["rw={writes};size={size};filename=DEVICE"]),
];

/// Options that the import reads and that no job of the table can have: one applies to all jobs of a file, one leaves
/// the whole job out.
pub const NOT_DRAWN: [&str; 2] = ["exitall", "read_iolog"];
