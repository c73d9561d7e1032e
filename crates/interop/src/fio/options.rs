//! How an import treats each option of a job file that it does not turn into a parameter.
//!
//! Owns that list, with reasons, and the names of the options that are read elsewhere. Facts: fio HOWTO. An option in
//! neither list is noted as unknown and lost.

use crate::notes::Fate;

/// Options that an import turns into parameters, or whose value decides the note on them; under one name each. The
/// code that reads jobs asks for no others.
pub const CARRIED: [&str; 60] = [
    "bs",
    "bsrange",
    "bssplit",
    "buffer_compress_chunk",
    "buffer_compress_percentage",
    "buffer_pattern",
    "buffered",
    "continue_on_error",
    "cpus_allowed",
    "cpus_allowed_policy",
    "dedupe_percentage",
    "direct",
    "do_verify",
    "exit_what",
    "exitall",
    "fdatasync",
    "filename",
    "filesize",
    "fill_device",
    "flow",
    "fsync",
    "invalidate",
    "io_size",
    "iodepth",
    "ioengine",
    "kb_base",
    "loops",
    "norandommap",
    "nrfiles",
    "number_ios",
    "numjobs",
    "offset",
    "offset_increment",
    "percentage_random",
    "pre_read",
    "ramp_time",
    "randseed",
    "random_distribution",
    "rate",
    "rate_iops",
    "rate_process",
    "read_iolog",
    "refill_buffers",
    "runtime",
    "rw",
    "rwmixread",
    "rwmixwrite",
    "scramble_buffers",
    "size",
    "startdelay",
    "stonewall",
    "sync",
    "thinktime",
    "thinktime_blocks",
    "thinktime_blocks_type",
    "thinktime_iotime",
    "time_based",
    "verify",
    "wait_for",
    "zero_buffers",
];

/// Other names of options.
pub(super) fn canonical(key: &str) -> &str {
    match key {
        "readwrite" => "rw",
        "blocksize" => "bs",
        "blocksize_range" => "bsrange",
        "blockalign" => "ba",
        "blocksize_unaligned" => "bs_unaligned",
        "io_limit" => "io_size",
        "fill_fs" => "fill_device",
        "fileoffset" => "offset",
        "nr_files" => "nrfiles",
        "timeout" => "runtime",
        "wait_for_previous" => "stonewall",
        "iomem" => "mem",
        "iodepth_batch_submit" => "iodepth_batch",
        "iodepth_batch_complete" => "iodepth_batch_complete_min",
        "allrandrepeat" => "randrepeat",
        "ratemin" => "rate_min",
        "ratecycle" => "rate_cycle",
        "disable_bw" => "disable_bw_measurement",
        other => other,
    }
}

const REPORTS: &str = "drivelab has its own logs and reports: every figure is recorded";
const NAMES: &str = "a name for people";
const LAYOUT: &str = "drivelab lays out its target itself: it is allocated and filled before anything is read";
const BACKEND: &str = "which interface issues the operations belongs to the run: drivelab run … --backend";
const HOST: &str = "how the process itself runs is not part of a methodology";
const MEMORY: &str = "buffers are aligned and allocated once, before the start";
const REPEATABLE: &str = "offsets come from the seed, and runs repeat";
const ZONES: &str = "drivelab does not support zones and zoned drives: the load runs over its span without them";
const TRACE: &str = "an imported load does not replay traces";
const HEADERS: &str = "headers have drivelab's own layout, and every one of them is checked";
const LATENCY_SEARCH: &str = "a search for the depth that keeps a latency; [tests.find_rate] searches a rate instead";
const FILE_WORK: &str = "what is done to files, apart from reading and writing them, is not part of a load";
const KERNEL_HANDS: &str =
    "each operation is submitted as soon as a slot is free, and reaped as soon as it is complete";
const OTHER_ENGINE: &str = "an option of an I/O engine that drivelab does not have";

const BACKLOG: &str =
    "a written block is read back immediately (verify = \"at_once\") or by a later step, nothing in between";
const END_FLUSH: &str =
    "flushing at the end of a job is not part of its time; use sync_every, or a test with op = \"flush\"";

/// Reasons, each with its options.
type Reasons = &'static [(&'static str, &'static str)];

/// Options that do not affect the load.
const SILENT: Reasons = &[
    (NAMES, "name description comm profile"),
    (
        REPORTS,
        "group_reporting new_group per_job_logs write_bw_log write_lat_log write_iops_log write_hist_log \
             log_entries log_avg_msec log_hist_msec log_hist_coarseness log_window_value log_max_value log_offset \
             log_prio log_issue_time log_unix_epoch log_alternate_epoch log_compression log_compression_cpus \
             log_store_compressed bwavgtime iopsavgtime stats clat_percentiles lat_percentiles slat_percentiles \
             percentile_list significant_figures disk_util gtod_reduce disable_lat disable_clat disable_slat \
             disable_bw_measurement gtod_cpu clocksource unified_rw_reporting block_error_percentiles \
             unit_base error_dump eta status_interval job_start_clock_id write_iolog log_max status-interval \
             eta-newline output-format output minimal clat_cpu_mask bandwidth-log latency-log",
    ),
    (
        LAYOUT,
        "directory filename_format unique_filename fallocate fadvise_hint overwrite openfiles opendir \
             file_service_type create_serialize create_fsync create_on_open unlink unlink_each_loop \
             allow_file_create allow_mounted_write file_append lockfile",
    ),
    (BACKEND, "hipri sqthread_poll sqthread_poll_cpu fixedbufs registerfiles force_async nonvectored uncached"),
    (HOST, "thread exitall_on_error uid gid cgroup_nodelete"),
    (MEMORY, "mem mem_align iomem_align hugepage-size lockmem"),
    (REPEATABLE, "randrepeat random_generator softrandommap rwmixcycle"),
    (HEADERS, "verify_fatal verify_dump verify_async verify_async_cpus verifysort verifysort_nr verify_offset"),
    (HEADERS, "verify_interval verify_pattern_interval verify_state_save verify_header_seed verify_write_sequence"),
];

/// Options whose effect on the load has no counterpart here.
const LOST: Reasons = &[
    (ZONES, "zonemode zonesize zonecapacity zonerange zoneskip read_beyond_wp max_open_zones job_max_open_zones"),
    (ZONES, "ignore_zone_limits zone_reset_threshold zone_reset_frequency recover_zbd_write_error"),
    (ZONES, "write_zone_remainder zone_append"),
    (TRACE, "read_iolog read_iolog_chunked replay_no_stall replay_redirect replay_scale replay_align replay_skip"),
    (TRACE, "replay_time_scale merge_blktrace_file merge_blktrace_scalars merge_blktrace_iters"),
    (LATENCY_SEARCH, "latency_target latency_window latency_percentile latency_run"),
    ("drivelab judges by the SNIA window: [tests.steady]", "steadystate ss steadystate_duration ss_dur"),
    ("drivelab judges by the SNIA window: [tests.steady]", "steadystate_ramp_time ss_ramp steadystate_check_interval"),
    (FILE_WORK, "create_only pre_write file_sync exec_prerun exec_postrun write_hint rw_hint"),
    (KERNEL_HANDS, "iodepth_batch iodepth_batch_complete_min iodepth_batch_complete_max iodepth_low"),
    (KERNEL_HANDS, "io_submit_mode serialize_overlap"),
    (HOST, "nice prio prioclass priohint cmdprio_percentage cmdprio_class cmdprio_hint cmdprio cmdprio_bssplit"),
    (HOST, "numa_cpu_nodes numa_mem_policy cgroup cgroup_weight ioscheduler cpumask"),
    (BACKLOG, "verify_backlog"),
    (BACKLOG, "verify_backlog_batch"),
    ("headers of an earlier run are checked by `drivelab io --op verify --of RUN`", "verify_state_load verify_only"),
    ("headers replace the pattern", "verify_pattern verify_policy experimental_verify"),
    ("trims inside a writing load are trim_percent, drawn for each operation", "trim_percentage trim_verify_zero"),
    ("trims inside a writing load are trim_percent, drawn for each operation", "trim_backlog trim_backlog_batch"),
    ("a limit below which fio gives up; a methodology has no limits of its own yet", "rate_min rate_iops_min"),
    ("a limit above which fio gives up; a methodology has no limits of its own yet", "max_latency"),
    ("the rate applies at every moment", "rate_cycle rate_ignore_thinktime"),
    ("waiting never keeps a CPU busy", "thinktime_spin thinkcycles"),
    ("only whole files are synchronized (sync_every, op = \"flush\")", "sync_file_range write_barrier"),
    ("operations are aligned to the size of the block", "ba bs_unaligned offset_align"),
    ("a mix has one distribution of sizes", "bs_is_seq_rand"),
    ("writes go to the device without a promise against torn writes", "atomic"),
    ("data repeat within each thread only", "dedupe_global dedupe_mode dedupe_working_set_percentage"),
    ("placement and streams of the drive are not used", "dataplacement fdp plid_select fdp_pli_select plids fdp_pli"),
    ("placement and streams of the drive are not used", "dp_scheme data_placement"),
    ("fio's old flow control", "flow_id flow_watermark flow_sleep"),
    ("drivelab does not support such seek distances", "random_sequence_stride num_range sprandom spr_num_regions"),
    (OTHER_ENGINE, "cmd_type md_per_io_size pi_act pi_chk apptag apptag_mask write_mode verify_mode"),
    ("the ramp ends after a time", "ramp_size"),
    ("all errors are counted", "ignore_error"),
    (END_FLUSH, "end_fsync"),
    (END_FLUSH, "fsync_on_close"),
    (END_FLUSH, "end_syncfs"),
];

/// Options without a counterpart, and why; `None` for any other option.
pub(super) fn silent(key: &str) -> Option<(Fate, &'static str)> {
    let of = |list: Reasons, fate| {
        list.iter().find(|(_, keys)| keys.split_whitespace().any(|one| one == key)).map(|(why, _)| (fate, *why))
    };
    of(SILENT, Fate::NoEffect).or_else(|| of(LOST, Fate::Lost))
}

/// What an I/O engine of fio means for a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    /// Keeps `iodepth` operations in flight.
    Asynchronous,
    /// One operation at a time, whatever `iodepth` is.
    Synchronous,
    /// Does something other than reads and writes of a drive.
    Foreign,
}

/// Whether the engine bypasses the page cache, whatever `direct` is (fio's FIO_RAWIO).
pub(super) fn passes_cache(name: &str) -> bool {
    matches!(name.split(':').next().unwrap_or(name), "io_uring_cmd" | "sg" | "xnvme" | "libzbc" | "mtd")
}

/// What an engine that is not imported does.
pub(super) fn foreign(name: &str) -> &'static str {
    let word = name.trim_start_matches("external:").rsplit('/').next().unwrap_or(name);
    match word {
        "cpuio" => "keeps a CPU busy and does no I/O",
        "net" | "netsplice" | "rdma" | "nbd" | "rbd" | "rados" | "http" | "gfapi" | "gfapi_async" | "libiscsi"
        | "nfs" | "libhdfs" | "ime_psync" | "ime_psyncv" | "ime_aio" | "dfs" => {
            "reaches storage over a network; drivelab measures drives"
        }
        "libpmem" | "dev-dax" | "pmemblk" | "libcufile" | "librpma_apm_client" | "librpma_gpspm_client" => {
            "copies to or from mapped memory, without operations of a drive"
        }
        "ftruncate" | "filecreate" | "filestat" | "filedelete" | "dircreate" | "dirstat" | "dirdelete" | "falloc"
        | "e4defrag" | "exec" => "works on files and their names, without reads and writes of a drive",
        word if word.contains("spdk") => {
            "drives the device from user space, past the kernel; drivelab goes through the kernel: give the drive back to \
             its driver and name its block device"
        }
        _ => "is unknown; drivelab itself goes through the kernel, to a file or a block device",
    }
}

/// The engine of that name; an engine that is not listed here reaches storage over a network or a library of its own.
pub(super) fn engine(name: &str) -> Engine {
    match name.split(':').next().unwrap_or(name) {
        "io_uring" | "io_uring_cmd" | "libaio" | "posixaio" | "windowsaio" | "solarisaio" | "sg" | "null" | "xnvme"
        | "libblkio" => Engine::Asynchronous,
        "sync" | "psync" | "vsync" | "pvsync" | "pvsync2" | "mmap" | "splice" | "libzbc" | "mtd" | "falloc-sync" => {
            Engine::Synchronous
        }
        _ => Engine::Foreign,
    }
}
