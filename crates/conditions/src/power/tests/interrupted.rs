//! A power state that is set while a run is stopped, on a real block device whose controller consists of recorded
//! pages: all of setting up and undoing except the last step to the hardware. Not yet tried on hardware.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

use drivelab_core::clock::{StopCause, StopToken};
use drivelab_core::condition::Condition;
use drivelab_core::ids::RunId;
use drivelab_device::guard::{self, Destroy};
use drivelab_device::{BlockNode, Named, classify};
use drivelab_nvme::{RecordedTransport, Recording, Request, Status};
use drivelab_rig::{LoopDevice, or_skip};

use super::pages::{CURRENT, IDENTIFY, THREE, identify};
use crate::controller::Controllers;
use crate::error::{ConditionsError, Kind};
use crate::set_up::{SetUp, Wish};
use crate::tear_down::clean_up_with;

/// State 1 with the workload hint 2, as found.
const BEFORE: u32 = 1 | 2 << 5;

/// A loop device on a sparse file, and the pages of its controller.
struct Bench {
    disk: LoopDevice,
    node: BlockNode,
    pages: Arc<RecordedTransport>,
}

impl Bench {
    fn new_or_skip(states: &[(u16, bool)], refused: Option<u32>) -> Option<Bench> {
        let disk = or_skip(LoopDevice::sparse(std::env::temp_dir(), 64 << 20, &[]))?;
        let Named::BlockDevice(node) = classify(Path::new(&disk.device)).expect("a device") else { panic!() };
        let mut recording = Recording::default();
        recording.page(IDENTIFY, identify(states, false));
        recording.value(CURRENT, BEFORE);
        if let Some(value) = refused {
            // Feature Not Changeable (Base 2.0, figure 93: command specific, 0Eh).
            recording.refusal(Request::SetFeature { feature: 2, value }, Status::new(0x010E));
        }
        Some(Bench { disk, node, pages: Arc::new(RecordedTransport::new(recording)) })
    }

    fn ledgers(&self) -> PathBuf {
        self.disk.folder().join("conditions")
    }

    fn controllers(&self) -> Controllers {
        Controllers::Recorded(Arc::clone(&self.pages))
    }

    fn set_up(&self, state: u8, stop: &StopToken) -> Result<SetUp, ConditionsError> {
        self.set_up_in(&self.ledgers(), Condition { power_state: Some(state), ..Condition::default() }, stop)
    }

    fn set_up_in(&self, folder: &Path, condition: Condition, stop: &StopToken) -> Result<SetUp, ConditionsError> {
        let destroy = Destroy::named(Some(Path::new(&self.node.name)));
        let released = guard::release_device(&self.node, &destroy).expect("released");
        let destroy = Some(self.node.name.clone());
        let wish = Wish { run: RunId::now(), condition, destroy, opal_admin_key: None, series: None, folder, stop };
        SetUp::begin_with(released, &wish, self.controllers())
    }

    /// Every value that the power state was set to, in order.
    fn set(&self) -> Vec<u32> {
        self.pages.set_features().into_iter().map(|(feature, value)| (u32::from(feature) << 16) | value).collect()
    }

    fn nothing_is_left(&self) {
        let entries = fs::read_dir(self.ledgers()).map(Iterator::count).unwrap_or_default();
        assert_eq!(entries, 0, "the undo log is closed");
    }
}

/// As [`Bench::set`] shows Set Features 02h.
const fn power(value: u32) -> u32 {
    2 << 16 | value
}

#[test]
fn a_stop_in_the_middle_of_the_writes_puts_the_state_before_back() {
    let Some(bench) = Bench::new_or_skip(&THREE, None) else { return };
    let stop = StopToken::default();
    let set_up = bench.set_up(2, &stop).expect("set up");
    assert_eq!(bench.set(), [power(2 | 2 << 5)], "the state is set before anything is written");
    let target = set_up.target().expect("a target");
    // Writes continue until the token is raised, as the SIGINT handler does it.
    let (begun, first) = channel();
    let written = std::thread::scope(|threads| {
        let raised = stop.clone();
        threads.spawn(move || {
            first.recv().expect("a write");
            raised.stop(StopCause::Person);
        });
        let file = fs::File::from(target.handle(false).expect("a handle").try_clone_to_owned().expect("a handle"));
        let mut written = 0_u64;
        while !stop.is_stopped() {
            file.write_all_at(&[7; 4096], written % 1024 * 4096).expect("written");
            written += 1;
            let _ = begun.send(());
        }
        written
    });
    assert!(written > 0 && bench.set().len() == 1, "the run was stopped under the state that was set");
    drop(target);
    let said = set_up.tear_down().expect("torn down");
    assert_eq!(said, ["restored power state 1"]);
    assert_eq!(bench.set(), [power(2 | 2 << 5), power(BEFORE)], "state and workload hint as before");
    bench.nothing_is_left();
}

#[test]
fn a_state_that_a_killed_run_left_is_put_back_by_the_next() {
    let Some(bench) = Bench::new_or_skip(&THREE, None) else { return };
    let set_up = bench.set_up(0, &StopToken::default()).expect("set up");
    drop(set_up);
    let found = clean_up_with(&bench.ledgers(), &|_| true, &bench.controllers()).expect("a look");
    assert!(found.left.is_empty() && found.unusable.is_empty());
    assert!(found.cleaned[0].trouble.is_none(), "{:?}", found.cleaned[0].trouble);
    assert_eq!(found.cleaned[0].done, ["restored power state 1"]);
    assert_eq!(bench.set(), [power(2 << 5), power(BEFORE)]);
    bench.nothing_is_left();
}

#[test]
fn one_state_or_a_refusal_ends_the_arm_with_that_sentence_and_the_drive_as_it_was() {
    for (states, refused, words) in
        [(&THREE[..1], None, "only one power state"), (&THREE[..], Some(2 | 2 << 5), "refuses")]
    {
        let Some(bench) = Bench::new_or_skip(states, refused) else { return };
        let error = bench.set_up(2, &StopToken::default()).expect_err("refused");
        let text = error.to_string();
        assert!(text.contains(words) && text.ends_with("the drive is unchanged"), "{text}");
        assert_eq!(error.kind(), Kind::Target);
        assert!(bench.set().is_empty(), "{:?}", bench.set());
        bench.nothing_is_left();
    }
}

#[test]
fn a_controller_that_does_not_go_back_keeps_nothing_else_from_being_undone() {
    let Some(bench) = Bench::new_or_skip(&THREE, Some(BEFORE)) else { return };
    let condition = Condition { power_state: Some(2), partition: "90%".parse().ok(), ..Condition::default() };
    let set_up = bench.set_up_in(&bench.ledgers(), condition, &StopToken::default()).expect("set up");
    let error = set_up.tear_down().expect_err("the controller refuses");
    assert!(error.to_string().contains("may still be in force"), "{error}");
    assert!(kernel_shows_no_partition(&bench.node), "the partition is gone in any case");
    let found = clean_up_with(&bench.ledgers(), &|_| true, &bench.controllers()).expect("a look");
    assert!(found.cleaned[0].trouble.is_some() && found.cleaned[0].done.is_empty(), "{:?}", found.cleaned);
}

fn kernel_shows_no_partition(node: &BlockNode) -> bool {
    let entries = fs::read_dir(Path::new("/sys/block").join(&node.name)).expect("sysfs");
    !entries.flatten().any(|entry| entry.path().join("partition").exists())
}

#[test]
fn the_power_state_of_one_controller_is_changed_by_one_run_at_a_time() {
    // Two namespaces: two devices, one controller.
    let Some(first) = Bench::new_or_skip(&THREE, None) else { return };
    let Some(mut second) = Bench::new_or_skip(&THREE, None) else { return };
    second.pages = Arc::clone(&first.pages);
    let stop = StopToken::default();
    let running = first.set_up(2, &stop).expect("set up");
    let condition = Condition { power_state: Some(0), ..Condition::default() };
    let error = second.set_up_in(&first.ledgers(), condition, &stop).expect_err("refused").to_string();
    assert!(error.contains("SN-1") && error.contains("nothing was set"), "{error}");
    assert_eq!(first.set(), [power(2 | 2 << 5)], "neither set nor restored by the second");
    running.tear_down().expect("torn down");
    assert_eq!(first.set(), [power(2 | 2 << 5), power(BEFORE)]);
    let after = second.set_up_in(&first.ledgers(), condition, &stop).expect("free again");
    after.tear_down().expect("torn down");
    assert_eq!(first.set().last(), Some(&power(BEFORE)), "the state before the first");
    first.nothing_is_left();
}
