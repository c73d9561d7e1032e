//! Wiping an NVMe drive with its own commands: Format NVM and Sanitize (NVM Express Base Specification 2.0, sections
//! 5.14 and 5.24).
//!
//! The controller's capabilities decide which kind of erase is requested. A format answers when it is done; a
//! sanitize continues in the drive on its own, also over a power cycle, and its log reports the progress. Must not
//! know how the drive was released: both commands require the guard's permit.

use std::fs::File;

use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Nanos;
use drivelab_nvme::{
    Controller, DestroyPermit, FormatOptions, IdentifyController, IoctlTransport, NamespaceList, NvmeError, Page,
    SanitizeAction, SanitizeOptions, SanitizeOutcome, SanitizeStatus, SecureErase, Transport,
};

use crate::guard::Reach;

/// Time between two queries of the progress.
const PAUSE: Nanos = Nanos::from_millis(500);

/// The command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveHow {
    /// Format NVM with a secure erase of user data, in the block format that the namespace has.
    Format,
    /// Sanitize: a block erase if the drive has one, otherwise a crypto erase, otherwise one pass of zeros.
    Sanitize,
}

/// Why a drive was not wiped by its own command.
#[derive(Debug, thiserror::Error)]
pub enum DriveWipeError {
    /// The controller or the kernel refused.
    #[error(transparent)]
    Command(#[from] NvmeError),
    /// The drive does not support it.
    #[error("{path} {lacks}; use --how discard, write-zeroes or overwrite")]
    Lacks {
        /// The device.
        path: String,
        /// What it lacks.
        lacks: &'static str,
    },
    /// The drive began and reported a failure.
    #[error(
        "the sanitize of {path} failed in the drive, which may refuse all reads and writes now; try it again, and check \
         the drive's health"
    )]
    Failed {
        /// The device.
        path: String,
    },
    /// The drive began, and does not report its progress.
    #[error(
        "the sanitize of {path} has begun and continues in the drive on its own, also after a restart, but its progress \
         cannot be read: {source}. Until it has ended the drive performs no reads and writes. Check with \
         `drivelab show {path}` (Sanitize now), and consider the drive wiped only when it reports success"
    )]
    Unread {
        /// The device.
        path: String,
        /// The answer to the query.
        source: NvmeError,
    },
    /// It is unknown what else lies on the drive.
    #[error(
        "the drive of {path} can have namespaces that are not attached, which this would wipe too, and whether it has any \
         cannot be read: {source}. Nothing was touched; use --how discard, write-zeroes or overwrite"
    )]
    Hidden {
        /// The device.
        path: String,
        /// The answer to the query.
        source: NvmeError,
    },
}

impl DriveWipeError {
    /// Whether the drive does not support this way.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        match self {
            DriveWipeError::Command(error) => error.is_not_supported() || error.is_not_permitted(),
            DriveWipeError::Lacks { .. } | DriveWipeError::Hidden { .. } => true,
            DriveWipeError::Failed { .. } | DriveWipeError::Unread { .. } => false,
        }
    }
}

/// Reports while the drive works.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Heard {
    /// This many per cent are done.
    Percent(f64),
    /// A stop was requested, and this command cannot be stopped.
    CannotStop,
}

/// How the wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The drive was done.
    Done,
    /// The drive was done, although a stop had been requested.
    DoneAllTheSame,
    /// The wait was stopped: the drive continues on its own.
    LeftAlone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Format { nsid: u32, options: FormatOptions, all: bool },
    Sanitize { action: SanitizeAction, expected_s: Option<u32> },
}

/// A command that is prepared and not sent.
#[derive(Debug)]
pub struct DriveWipe<T> {
    controller: Controller<T>,
    action: Action,
    /// Namespaces without a device that a command for the whole drive would wipe too.
    unattached: Vec<u32>,
    path: String,
}

/// Asks the controller of a released namespace for its capabilities; changes nothing.
///
/// # Errors
/// It is not an NVMe drive, or it lacks the command.
pub fn plan(target: &WritableTarget, how: DriveHow) -> Result<DriveWipe<IoctlTransport>, DriveWipeError> {
    let path = target.path().display().to_string();
    let lacks = |lacks| DriveWipeError::Lacks { path: path.clone(), lacks };
    let handle = target.handle(false).ok_or_else(|| lacks("is not open"))?;
    let node = File::from(handle.try_clone_to_owned().map_err(|_| lacks("cannot be opened once more"))?);
    let transport = IoctlTransport::of(node, path.clone());
    let nsid = transport.namespace_id().map_err(|_| lacks("is not a namespace of an NVMe drive"))?;
    plan_with(Controller::new(transport), nsid, how, path)
}

fn plan_with<T: Transport>(
    controller: Controller<T>,
    nsid: u32,
    how: DriveHow,
    path: String,
) -> Result<DriveWipe<T>, DriveWipeError> {
    let drive = controller.identify_controller()?.decoded;
    let action = match how {
        DriveHow::Format if drive.admin_commands.format => {
            let namespace = controller.identify_namespace(nsid)?.decoded;
            if namespace.protection_type != 0 || namespace.format.metadata_with_data {
                let lacks = "stores protection information or metadata with its data, which this format would remove";
                return Err(DriveWipeError::Lacks { path, lacks });
            }
            let options = FormatOptions { block_format: namespace.format.index, erase: SecureErase::UserData };
            let all = drive.format.formats_all || drive.format.erases_all;
            Action::Format { nsid, options, all }
        }
        DriveHow::Format => return Err(DriveWipeError::Lacks { path, lacks: "has no Format NVM command" }),
        DriveHow::Sanitize => {
            let Some(action) = best(&drive) else {
                return Err(DriveWipeError::Lacks { path, lacks: "cannot sanitize" });
            };
            let status = controller.sanitize_status().ok().map(|page| page.decoded);
            Action::Sanitize { action, expected_s: status.and_then(|status| expected(action, &status)) }
        }
    };
    let whole = !matches!(action, Action::Format { all: false, .. });
    let unattached = if whole && drive.admin_commands.namespace_management {
        unattached(&controller, nsid).map_err(|source| DriveWipeError::Hidden { path: path.clone(), source })?
    } else {
        Vec::new()
    };
    Ok(DriveWipe { controller, action, unattached, path })
}

/// Identifiers of the namespaces that exist and are not attached to this controller, except its own.
fn unattached<T: Transport>(controller: &Controller<T>, own: u32) -> Result<Vec<u32>, NvmeError> {
    let active = all_of(|after| controller.active_namespaces(after))?;
    let mut found = all_of(|after| controller.allocated_namespaces(after))?;
    found.retain(|nsid| *nsid != own && !active.contains(nsid));
    Ok(found)
}

/// A list of namespaces that may be longer than one page.
fn all_of(part: impl Fn(u32) -> Result<Page<NamespaceList>, NvmeError>) -> Result<Vec<u32>, NvmeError> {
    let mut found: Vec<u32> = Vec::new();
    loop {
        let after = found.last().copied().unwrap_or(0);
        let next = part(after)?.decoded.namespaces;
        // A controller that starts again each time would never finish.
        let goes_on = next.len() == NamespaceList::ENTRIES && next.first().is_some_and(|first| *first > after);
        found.extend(next);
        if !goes_on {
            return Ok(found);
        }
    }
}

fn best(drive: &IdentifyController) -> Option<SanitizeAction> {
    let abilities = &drive.sanitize;
    if abilities.block_erase {
        Some(SanitizeAction::BlockErase)
    } else if abilities.crypto_erase {
        Some(SanitizeAction::CryptoErase)
    } else {
        abilities.overwrite.then_some(SanitizeAction::Overwrite { pattern: 0, passes: 1 })
    }
}

fn expected(action: SanitizeAction, status: &SanitizeStatus) -> Option<u32> {
    match action {
        SanitizeAction::BlockErase => status.block_erase_s,
        SanitizeAction::CryptoErase => status.crypto_erase_s,
        SanitizeAction::Overwrite { .. } => status.overwrite_s,
        SanitizeAction::ExitFailure => None,
    }
}

/// The clock and the stop of a wait.
struct Waiting<'a> {
    clock: &'a dyn RunClock,
    stop: &'a StopToken,
}

impl<T: Transport + Sync> DriveWipe<T> {
    /// The drive's task, as text.
    #[must_use]
    pub const fn words(&self) -> &'static str {
        match self.action {
            Action::Format { .. } => "Format with an erase of user data",
            Action::Sanitize { action: SanitizeAction::BlockErase, .. } => "Sanitize by block erase",
            Action::Sanitize { action: SanitizeAction::CryptoErase, .. } => "Sanitize by cryptographic erase",
            Action::Sanitize { .. } => "Sanitize by overwriting with zeros",
        }
    }

    /// How much of the drive it wipes.
    #[must_use]
    pub fn reach(&self) -> Reach {
        match self.action {
            Action::Format { all: false, .. } => Reach::Namespace,
            Action::Format { .. } | Action::Sanitize { .. } => Reach::Drive { unattached: self.unattached.clone() },
        }
    }

    /// The duration that the drive states.
    #[must_use]
    pub fn expected(&self) -> Option<Nanos> {
        match self.action {
            Action::Format { .. } => None,
            Action::Sanitize { expected_s, .. } => expected_s.map(|seconds| Nanos::from_secs(seconds.into())),
        }
    }

    /// Sends the command and waits for its end; `hear` receives the progress. The wait for a sanitize can be stopped;
    /// a format answers at its end, so the wait for it cannot.
    ///
    /// # Errors
    /// The controller's error, a failed sanitize, or one that continues and does not report its progress.
    pub fn run(
        &self,
        permit: DestroyPermit,
        clock: &dyn RunClock,
        stop: &StopToken,
        hear: &mut dyn FnMut(Heard),
    ) -> Result<Ended, DriveWipeError> {
        match self.action {
            Action::Format { nsid, options, .. } => {
                self.format(nsid, options, permit, &Waiting { clock, stop }, hear)?;
                Ok(if stop.is_stopped() { Ended::DoneAllTheSame } else { Ended::Done })
            }
            Action::Sanitize { action, .. } => {
                // A failed sanitize then leaves the drive usable, and the blocks are deallocated.
                let options = SanitizeOptions { action, unrestricted_exit: true, keep_allocated: false };
                self.controller.sanitize(options, permit)?;
                self.wait_for_sanitize(&Waiting { clock, stop }, hear)
            }
        }
    }

    /// The command answers at its end, so another thread sends it.
    fn format(
        &self,
        nsid: u32,
        options: FormatOptions,
        permit: DestroyPermit,
        &Waiting { clock, stop }: &Waiting<'_>,
        hear: &mut dyn FnMut(Heard),
    ) -> Result<(), DriveWipeError> {
        std::thread::scope(|scope| {
            let sent = scope.spawn(move || self.controller.format_namespace(nsid, options, permit));
            let mut told = false;
            loop {
                if stop.is_stopped() && !told {
                    hear(Heard::CannotStop);
                    told = true;
                }
                if sent.is_finished() {
                    break;
                }
                clock.sleep_until(clock.now_ns() + PAUSE.get(), &StopToken::default());
                // Some controllers refuse this query in the meantime.
                let page = self.controller.identify_namespace(nsid).ok();
                if let Some(left) = page.and_then(|page| page.decoded.format_remaining_percent) {
                    hear(Heard::Percent(100.0 - f64::from(left)));
                }
            }
            let failed = || DriveWipeError::Failed { path: self.path.clone() };
            sent.join().map_err(|_| failed())?.map_err(DriveWipeError::from)
        })
    }

    fn wait_for_sanitize(
        &self,
        &Waiting { clock, stop }: &Waiting<'_>,
        hear: &mut dyn FnMut(Heard),
    ) -> Result<Ended, DriveWipeError> {
        loop {
            let unread = |source| DriveWipeError::Unread { path: self.path.clone(), source };
            let status = self.controller.sanitize_status().map_err(unread)?.decoded;
            hear(Heard::Percent(status.done_percent()));
            match status.outcome {
                SanitizeOutcome::InProgress if stop.is_stopped() => return Ok(Ended::LeftAlone),
                SanitizeOutcome::InProgress => {
                    clock.sleep_until(clock.now_ns() + PAUSE.get(), stop);
                }
                SanitizeOutcome::Completed | SanitizeOutcome::CompletedDeallocated => return Ok(Ended::Done),
                SanitizeOutcome::Never | SanitizeOutcome::Failed | SanitizeOutcome::Reserved(_) => {
                    return Err(DriveWipeError::Failed { path: self.path.clone() });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::clock::MonotonicClock;
    use drivelab_nvme::{RecordedTransport, Recording, Request, Status};

    use super::*;

    /// A controller with these bytes in Identify Controller and in the sanitize log, and with these answers.
    fn drive(bytes: &[(usize, u8)], status: &[(usize, u8)], done: &[Request]) -> Controller<RecordedTransport> {
        let page = |length: usize, bytes: &[(usize, u8)]| {
            let mut page = vec![0u8; length];
            bytes.iter().for_each(|(at, byte)| page[*at] = *byte);
            page
        };
        let mut recording = Recording::default();
        recording.page(Request::Identify { cns: 1, nsid: 0 }, page(4096, bytes));
        // Block format 2 of a namespace that does not report the progress of a format.
        recording.page(Request::Identify { cns: 0, nsid: 1 }, page(4096, &[(26, 2)]));
        let log = Request::LogPage { log: 0x81, nsid: u32::MAX, parameter: 0, specific: 0 };
        recording.page(log, page(512, status));
        done.iter().for_each(|request| recording.value(request.clone(), 0));
        Controller::new(RecordedTransport::new(recording))
    }

    fn planned(controller: Controller<RecordedTransport>, how: DriveHow) -> DriveWipe<RecordedTransport> {
        plan_with(controller, 1, how, "/dev/x".to_owned()).expect("a plan")
    }

    fn run(wipe: &DriveWipe<RecordedTransport>) -> (Result<Ended, DriveWipeError>, Vec<Heard>) {
        run_until(wipe, &StopToken::default())
    }

    fn run_until(wipe: &DriveWipe<RecordedTransport>, stop: &StopToken) -> (Result<Ended, DriveWipeError>, Vec<Heard>) {
        let mut heard = Vec::new();
        let clock = MonotonicClock::starting_at(0);
        let done = wipe.run(DestroyPermit::from_guard(), &clock, stop, &mut |what| heard.push(what));
        (done, heard)
    }

    fn stopped() -> StopToken {
        let stop = StopToken::default();
        stop.stop(drivelab_core::clock::StopCause::Person);
        stop
    }

    const NONE_ELSE: Reach = Reach::Drive { unattached: Vec::new() };

    /// SANICAP, byte 328: crypto erase is bit 0, block erase bit 1, overwrite bit 2.
    const SANICAP: usize = 328;

    #[test]
    fn the_best_erase_that_the_drive_has_is_asked_for_and_its_own_estimate_told() {
        let seconds = [(2, 1), (8, 200), (12, 20), (16, 2)];
        for (abilities, words, value, expected) in [
            (0b111, "block erase", 0b1010, 20),
            (0b101, "cryptographic", 0b1100, 2),
            (0b100, "overwriting", 0b01_1011, 200),
        ] {
            let asked = Request::Sanitize { value, pattern: 0 };
            let wipe = planned(drive(&[(SANICAP, abilities)], &seconds, &[asked]), DriveHow::Sanitize);
            assert!(wipe.words().contains(words), "{}", wipe.words());
            assert_eq!((wipe.expected(), wipe.reach()), (Some(Nanos::from_secs(expected)), NONE_ELSE));
            let (done, heard) = run(&wipe);
            assert!(done.is_ok_and(|done| done == Ended::Done), "{words}");
            assert_eq!(heard, [Heard::Percent(100.0)]);
        }
    }

    #[test]
    fn a_sanitize_that_failed_in_the_drive_is_an_error_and_one_that_goes_on_can_be_left_alone() {
        let asked = Request::Sanitize { value: 0b1010, pattern: 0 };
        let answers = [asked];
        let (failed, _) = run(&planned(drive(&[(SANICAP, 2)], &[(2, 3)], &answers), DriveHow::Sanitize));
        assert!(
            failed.is_err_and(|error| error.to_string().contains("failed in the drive") && !error.is_unsupported())
        );
        // SPROG 8000h is one half.
        let wipe = planned(drive(&[(SANICAP, 2)], &[(1, 0x80), (2, 2)], &answers), DriveHow::Sanitize);
        let (done, heard) = run_until(&wipe, &stopped());
        assert!(done.is_ok_and(|done| done == Ended::LeftAlone));
        assert_eq!(heard, [Heard::Percent(50.0)]);
    }

    #[test]
    fn a_sanitize_that_does_not_say_how_far_it_is_is_told_to_go_on() {
        let asked = Request::Sanitize { value: 0b1010, pattern: 0 };
        let mut recording = Recording::default();
        let mut page = vec![0u8; 4096];
        page[SANICAP] = 2;
        recording.page(Request::Identify { cns: 1, nsid: 0 }, page);
        recording.value(asked, 0);
        let log = Request::LogPage { log: 0x81, nsid: u32::MAX, parameter: 0, specific: 0 };
        // Invalid log page: generic status type 1, code 9.
        recording.refusal(log, Status::new(0x109));
        let wipe = planned(Controller::new(RecordedTransport::new(recording)), DriveHow::Sanitize);
        assert_eq!(wipe.expected(), None);
        let (done, heard) = run(&wipe);
        let error = done.expect_err("nothing is known");
        let text = error.to_string();
        assert!(!error.is_unsupported(), "it was begun: {text}");
        for words in ["has begun and continues", "cannot be read", "drivelab show /dev/x", "refuses Get Log Page 81h"] {
            assert!(text.contains(words), "'{words}' is missing in: {text}");
        }
        assert!(heard.is_empty());
    }

    #[test]
    fn namespaces_that_no_controller_shows_are_asked_for_before_a_whole_drive_is_emptied() {
        // OACS bits 3 and 1; both lists: 1 and 2 are attached, and 7 and 9 exist in addition.
        let can = [(256, 0b1010), (SANICAP, 2)];
        let list = |nsids: &[u8]| {
            let mut page = vec![0u8; 4096];
            nsids.iter().enumerate().for_each(|(at, nsid)| page[at * 4] = *nsid);
            page
        };
        let with = |bytes: &[(usize, u8)], existing: Option<&[u8]>| {
            let mut recording = drive(bytes, &[], &[]).transport().recording();
            recording.page(Request::Identify { cns: 2, nsid: 0 }, list(&[1, 2]));
            if let Some(existing) = existing {
                recording.page(Request::Identify { cns: 0x10, nsid: 0 }, list(existing));
            }
            Controller::new(RecordedTransport::new(recording))
        };
        let found = |bytes: &[(usize, u8)], how| planned(with(bytes, Some(&[1, 2, 7, 9])), how).reach();
        let others = Reach::Drive { unattached: vec![7, 9] };
        assert_eq!(found(&can, DriveHow::Sanitize), others);
        // FNA bit 1: a format of one namespace erases all of them.
        assert_eq!(found(&[(256, 0b1010), (524, 0b10)], DriveHow::Format), others);
        assert_eq!(found(&[(256, 0b1010)], DriveHow::Format), Reach::Namespace);
        assert_eq!(planned(with(&can, Some(&[1, 2])), DriveHow::Sanitize).reach(), NONE_ELSE);
        let error = plan_with(with(&can, None), 1, DriveHow::Sanitize, "/dev/x".to_owned()).expect_err("not reported");
        assert!(error.is_unsupported() && error.to_string().contains("not attached"), "{error}");
        // It cannot manage namespaces, so only attached ones can exist.
        assert_eq!(planned(with(&[(SANICAP, 2)], None), DriveHow::Sanitize).reach(), NONE_ELSE);
    }

    #[test]
    fn a_format_cannot_be_stopped_and_that_is_said() {
        let asked = Request::Format { nsid: 1, value: 2 | 1 << 9 };
        let wipe = planned(drive(&[(256, 2)], &[], &[asked]), DriveHow::Format);
        let (done, heard) = run_until(&wipe, &stopped());
        assert!(done.is_ok_and(|done| done == Ended::DoneAllTheSame));
        assert_eq!(heard, [Heard::CannotStop]);
    }

    #[test]
    fn a_namespace_with_protection_or_metadata_in_its_data_is_not_formatted() {
        // FLBAS (byte 26) bit 4: metadata goes with the data; DPS (byte 29) bits 2:0: protection information of type 1.
        for namespace in [&[(26, 2 | 1 << 4)][..], &[(26, 2), (29, 1)]] {
            let mut recording = drive(&[(256, 2)], &[], &[]).transport().recording();
            let mut page = vec![0u8; 4096];
            namespace.iter().for_each(|(at, byte): &(usize, u8)| page[*at] = *byte);
            recording.page(Request::Identify { cns: 0, nsid: 1 }, page);
            let controller = Controller::new(RecordedTransport::new(recording));
            let error = plan_with(controller, 1, DriveHow::Format, "/dev/x".to_owned()).expect_err("refused");
            assert!(error.to_string().contains("protection information or metadata"), "{error}");
            assert!(error.is_unsupported() && error.to_string().contains("--how discard"), "{error}");
        }
    }

    #[test]
    fn a_format_keeps_the_block_format_and_says_whether_it_reaches_further() {
        // OACS bit 1; SES 1 is in bits 11:9.
        let asked = Request::Format { nsid: 1, value: 2 | 1 << 9 };
        for (attributes, reach) in [(0, Reach::Namespace), (0b10, NONE_ELSE)] {
            let controller = drive(&[(256, 2), (524, attributes)], &[], std::slice::from_ref(&asked));
            let wipe = planned(controller, DriveHow::Format);
            assert_eq!(wipe.reach(), reach);
            assert!(run(&wipe).0.is_ok_and(|done| done == Ended::Done));
        }
    }

    #[test]
    fn what_a_drive_lacks_is_said_with_what_to_do() {
        for (how, word) in [(DriveHow::Format, "no Format NVM"), (DriveHow::Sanitize, "cannot sanitize")] {
            let error = plan_with(drive(&[], &[], &[]), 1, how, "/dev/x".to_owned()).expect_err("it lacks both");
            assert!(error.to_string().contains(word) && error.to_string().contains("--how discard"), "{error}");
            assert!(error.is_unsupported());
        }
    }
}
