//! A process that may not use io_uring runs on the sync backend and reports it.
//!
//! Method: a real seccomp filter, as container runtimes set it, on a thread of its own, inherited by the threads that
//! the engine makes. No root needed.
#![expect(unsafe_code, reason = "prctl(2) takes the filter through a pointer")]
#![expect(clippy::unwrap_used, reason = "a test ends where its set-up fails")]

mod common;

use drivelab_core::backend::{Backend, BackendError};
use drivelab_core::clock::StopToken;
use drivelab_core::units::Percent;
use drivelab_core::workload::Workload;
use drivelab_engine::{BackendChoice, Engine, EngineError, check};

/// Makes a system call fail with `errno` on this thread and the threads it makes.
fn refuse(call: libc::c_long, errno: i32) {
    const LOAD_NUMBER: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jt, k| libc::sock_filter { code, jt, jf: 1 - jt, k };
    let number = u32::try_from(call).unwrap();
    let mut program = [
        libc::sock_filter { code: LOAD_NUMBER, jt: 0, jf: 0, k: 0 },
        step(IF_EQUAL, 0, number),
        libc::sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ERRNO | errno.cast_unsigned() },
        libc::sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW },
    ];
    let filter = libc::sock_fprog { len: 4, filter: program.as_mut_ptr() };
    // SAFETY: both calls take plain numbers and, the second, a pointer to a filter that lives until it returns.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter), 0);
    }
}

fn on_a_thread_that_gets(errno: i32, test: impl FnOnce() + Send) {
    on_a_thread_refused(libc::SYS_io_uring_setup, errno, test);
}

fn on_a_thread_refused(call: libc::c_long, errno: i32, test: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            refuse(call, errno);
            test();
        });
    });
}

#[test]
fn where_io_uring_is_refused_the_sync_backend_runs_and_says_why() {
    for (errno, name) in [(libc::EPERM, "EPERM"), (libc::ENOSYS, "ENOSYS"), (libc::ENOMEM, "ENOMEM")] {
        on_a_thread_that_gets(errno, || {
            let mut bench = common::Bench::new(1 << 20, true, BackendChoice::Auto);
            assert_eq!(bench.engine.describe(), format!("sync: io_uring_setup was refused ({name})"));
            let (record, _) = common::run(&mut bench.engine, &common::workload(1 << 20), &common::volume(1 << 20));
            assert_eq!((record.read.count, record.error_count()), (256, 0));
            assert_eq!(record.engine.backend, "sync");
            assert_eq!(record.engine.reason, format!("io_uring_setup was refused ({name})"));
        });
    }
}

#[test]
fn where_io_uring_was_asked_for_by_name_the_refusal_is_an_error() {
    on_a_thread_that_gets(libc::EPERM, || {
        let folder = common::folder();
        let path = folder.path().join("target");
        common::zeros(&path, 4096);
        let refused = Engine::open(common::target(&path, 4096, true), BackendChoice::Uring);
        let Err(error @ EngineError::UringRefused { .. }) = refused else { panic!("not refused") };
        assert!(error.to_string().contains("EPERM") && error.to_string().contains("sync backend"), "{error}");
    });
}

#[test]
fn a_choice_can_be_checked_before_there_is_a_target() {
    for choice in [BackendChoice::Auto, BackendChoice::Uring, BackendChoice::Sync] {
        check(choice).unwrap();
    }
    on_a_thread_that_gets(libc::EPERM, || {
        let EngineError::UringRefused { refusal } = check(BackendChoice::Uring).unwrap_err();
        assert_eq!(refusal, "io_uring_setup was refused (EPERM)");
        check(BackendChoice::Auto).unwrap();
        check(BackendChoice::Sync).unwrap();
    });
}

/// The kernel allowed io_uring when the engine was opened, and refuses it when a step begins.
#[test]
fn a_step_that_gets_no_ring_is_done_by_the_sync_backend_and_says_why() {
    let run = |choice: BackendChoice, queue_depth: u64| {
        let mut bench = common::Bench::new(1 << 20, true, choice);
        assert_eq!(bench.engine.describe(), "io_uring");
        let (queue_depth, threads) = common::depth(queue_depth, 2);
        let workload = Workload { queue_depth, threads, ..common::workload(1 << 20) };
        let mut result = None;
        on_a_thread_that_gets(libc::EPERM, || {
            let stop = StopToken::default();
            result = Some(common::run_with(&mut bench.engine, &workload, &common::volume(1 << 20), (0, 100), &stop));
        });
        result.unwrap()
    };
    let (record, intervals) = run(BackendChoice::Auto, 4).unwrap();
    assert_eq!((record.read.count, record.error_count()), (256, 0));
    assert_eq!(intervals.iter().map(|interval| interval.read.count).sum::<u64>(), 256, "nothing is counted twice");
    assert_eq!(record.engine.backend, "sync");
    assert_eq!(record.engine.reason, "io_uring_setup was refused for this step (EPERM)");
    // Requested by name, and too deep for the sync backend: the refusal is reported.
    for (choice, queue_depth) in [(BackendChoice::Uring, 4), (BackendChoice::Auto, 4096)] {
        let error = run(choice, queue_depth).unwrap_err();
        let BackendError::System { what, source } = &error else { panic!("{error}") };
        assert_eq!((what.as_str(), source.raw_os_error()), ("io_uring_setup", Some(libc::EPERM)));
    }
}

/// The memory that the threads of the sync backend need is checked again, since each of them has buffers of its own.
#[test]
fn a_step_that_gets_no_ring_and_has_too_many_buffers_for_threads_is_refused() {
    let mut bench = common::Bench::new(1 << 20, true, BackendChoice::Auto);
    let load = common::much_to_write_from(1 << 20);
    let mut result = None;
    on_a_thread_that_gets(libc::EPERM, || {
        let stop = StopToken::default();
        result = Some(common::run_with(&mut bench.engine, &load, &common::volume(1 << 20), (0, 100), &stop));
    });
    let error = result.unwrap().unwrap_err();
    assert!(matches!(&error, BackendError::Unfit(message) if message.contains("of buffers")), "{error}");
}

#[test]
fn where_io_uring_is_allowed_it_is_used() {
    let bench = common::Bench::new(4096, true, BackendChoice::Auto);
    assert_eq!(bench.engine.describe(), "io_uring");
}

/// The kernel makes the ring and refuses features that it can do without: the step runs and the report lists them.
#[test]
fn what_a_ring_can_do_without_is_listed() {
    let mut bench = common::Bench::new(1 << 20, true, BackendChoice::Uring);
    let (record, _) = common::run(&mut bench.engine, &common::workload(1 << 20), &common::volume(1 << 20));
    assert_eq!(record.engine.backend, "io_uring");
    println!("refused here: {:?}", record.engine.refused);
}

/// A limit on locked memory, or an old kernel: the ring works, but without registered file, buffers or ring. The step
/// runs without them, and the record names each.
#[test]
fn where_registration_is_refused_the_ring_works_without_and_says_so() {
    on_a_thread_refused(libc::SYS_io_uring_register, libc::ENOMEM, || {
        let mut bench = common::Bench::new(1 << 20, true, BackendChoice::Uring);
        for write_percent in [0, 50] {
            let write_percent = Percent::new(write_percent).unwrap();
            let workload = Workload { write_percent, ..common::workload(1 << 20) };
            let (record, _) = common::run(&mut bench.engine, &workload, &common::volume(1 << 20));
            assert_eq!((record.read.count + record.write.count, record.error_count()), (256, 0));
            assert_eq!(record.engine.backend, "io_uring");
            for what in ["registered file (ENOMEM)", "registered buffers (ENOMEM)", "registered ring (ENOMEM)"] {
                assert!(record.engine.refused.iter().any(|refused| refused == what), "{:?}", record.engine.refused);
            }
        }
    });
}
