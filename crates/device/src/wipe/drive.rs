//! Emptying an NVMe drive by its own commands: Format NVM and Sanitize (NVM Express Base Specification 2.0, sections
//! 5.14 and 5.24).
//!
//! What the controller can do decides which erase is asked for. A format answers when it is done; a sanitize goes on in
//! the drive by itself, over a power cycle too, and its log tells how far it is. Must not know how the drive was
//! released: both commands ask for the guard's permit.

use std::fs::File;

use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::target::WritableTarget;
use drivelab_core::units::Nanos;
use drivelab_nvme::{
    Controller, DestroyPermit, FormatOptions, IdentifyController, IoctlTransport, NvmeError, SanitizeAction,
    SanitizeOptions, SanitizeOutcome, SanitizeStatus, SecureErase, Transport,
};

use crate::guard::Reach;

/// Between two questions how far it is.
const PAUSE: Nanos = Nanos::from_millis(500);

/// Which command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveHow {
    /// Format NVM with a secure erase of user data, in the block format that the namespace has.
    Format,
    /// Sanitize: a block erase where the drive has one, else a crypto erase, else one pass of zeros.
    Sanitize,
}

/// Why a drive was not emptied by its own command.
#[derive(Debug, thiserror::Error)]
pub enum DriveWipeError {
    /// The controller or the kernel refused.
    #[error(transparent)]
    Command(#[from] NvmeError),
    /// The drive does not have it.
    #[error("{path} {lacks}; say --how discard, write-zeroes or overwrite")]
    Lacks {
        /// The device.
        path: String,
        /// What it lacks.
        lacks: &'static str,
    },
    /// The drive began and did not end well.
    #[error(
        "the sanitize of {path} failed in the drive, which may refuse all reads and writes now; try it again, and look at \
         the drive's health"
    )]
    Failed {
        /// The device.
        path: String,
    },
}

impl DriveWipeError {
    /// Whether the drive does not have this way at all.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        match self {
            DriveWipeError::Command(error) => error.is_not_supported() || error.is_not_permitted(),
            DriveWipeError::Lacks { .. } => true,
            DriveWipeError::Failed { .. } => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Format { nsid: u32, options: FormatOptions, all: bool },
    Sanitize { action: SanitizeAction, expected_s: Option<u32> },
}

/// A command that is worked out and not sent.
#[derive(Debug)]
pub struct DriveWipe<T> {
    controller: Controller<T>,
    action: Action,
    path: String,
}

/// Asks the controller of a released namespace what it can do; changes nothing.
///
/// # Errors
/// It is no NVMe drive, or it lacks the command.
pub fn plan(target: &WritableTarget, how: DriveHow) -> Result<DriveWipe<IoctlTransport>, DriveWipeError> {
    let path = target.path().display().to_string();
    let lacks = |lacks| DriveWipeError::Lacks { path: path.clone(), lacks };
    let handle = target.handle(false).ok_or_else(|| lacks("is not open"))?;
    let node = File::from(handle.try_clone_to_owned().map_err(|_| lacks("cannot be opened once more"))?);
    let transport = IoctlTransport::of(node, path.clone());
    let nsid = transport.namespace_id().map_err(|_| lacks("is no namespace of an NVMe drive"))?;
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
                let lacks = "keeps protection information or metadata with its data, which this format would take off";
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
    Ok(DriveWipe { controller, action, path })
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

impl<T: Transport + Sync> DriveWipe<T> {
    /// What the drive is asked to do, in words.
    #[must_use]
    pub const fn words(&self) -> &'static str {
        match self.action {
            Action::Format { .. } => "Format with an erase of user data",
            Action::Sanitize { action: SanitizeAction::BlockErase, .. } => "Sanitize by block erase",
            Action::Sanitize { action: SanitizeAction::CryptoErase, .. } => "Sanitize by throwing the key away",
            Action::Sanitize { .. } => "Sanitize by overwriting with zeros",
        }
    }

    /// How much of the drive it empties.
    #[must_use]
    pub const fn reach(&self) -> Reach {
        match self.action {
            Action::Format { all: false, .. } => Reach::Namespace,
            Action::Format { .. } | Action::Sanitize { .. } => Reach::Drive,
        }
    }

    /// How long the drive says that it takes.
    #[must_use]
    pub fn expected(&self) -> Option<Nanos> {
        match self.action {
            Action::Format { .. } => None,
            Action::Sanitize { expected_s, .. } => expected_s.map(|seconds| Nanos::from_secs(seconds.into())),
        }
    }

    /// Sends the command and waits for its end; `progress` hears per cent. `false` where somebody stopped the waiting:
    /// a sanitize goes on in the drive all the same.
    ///
    /// # Errors
    /// The controller's, and a sanitize that failed.
    pub fn run(
        &self,
        permit: DestroyPermit,
        clock: &dyn RunClock,
        stop: &StopToken,
        progress: &mut dyn FnMut(f64),
    ) -> Result<bool, DriveWipeError> {
        match self.action {
            Action::Format { nsid, options, .. } => self.format(nsid, options, permit, clock, progress).map(|()| true),
            Action::Sanitize { action, .. } => {
                // A failure leaves the drive usable, and blocks are deallocated.
                let options = SanitizeOptions { action, unrestricted_exit: true, keep_allocated: false };
                self.controller.sanitize(options, permit)?;
                self.wait_for_sanitize(clock, stop, progress)
            }
        }
    }

    /// The command answers at its end, so another thread sends it.
    fn format(
        &self,
        nsid: u32,
        options: FormatOptions,
        permit: DestroyPermit,
        clock: &dyn RunClock,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(), DriveWipeError> {
        std::thread::scope(|scope| {
            let sent = scope.spawn(move || self.controller.format_namespace(nsid, options, permit));
            while !sent.is_finished() {
                clock.sleep_until(clock.now_ns() + PAUSE.get(), &StopToken::default());
                // Some controllers refuse the question meanwhile.
                let page = self.controller.identify_namespace(nsid).ok();
                if let Some(left) = page.and_then(|page| page.decoded.format_remaining_percent) {
                    progress(100.0 - f64::from(left));
                }
            }
            let failed = || DriveWipeError::Failed { path: self.path.clone() };
            sent.join().map_err(|_| failed())?.map_err(DriveWipeError::from)
        })
    }

    fn wait_for_sanitize(
        &self,
        clock: &dyn RunClock,
        stop: &StopToken,
        progress: &mut dyn FnMut(f64),
    ) -> Result<bool, DriveWipeError> {
        loop {
            let status = self.controller.sanitize_status()?.decoded;
            progress(status.done_percent());
            match status.outcome {
                SanitizeOutcome::InProgress if stop.is_stopped() => return Ok(false),
                SanitizeOutcome::InProgress => {
                    clock.sleep_until(clock.now_ns() + PAUSE.get(), stop);
                }
                SanitizeOutcome::Completed | SanitizeOutcome::CompletedDeallocated => return Ok(true),
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
    use drivelab_nvme::{RecordedTransport, Recording, Request};

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
        // Block format 2 of a namespace that says nothing of a format's progress.
        recording.page(Request::Identify { cns: 0, nsid: 1 }, page(4096, &[(26, 2)]));
        let log = Request::LogPage { log: 0x81, nsid: u32::MAX, parameter: 0, specific: 0 };
        recording.page(log, page(512, status));
        done.iter().for_each(|request| recording.value(request.clone(), 0));
        Controller::new(RecordedTransport::new(recording))
    }

    fn planned(controller: Controller<RecordedTransport>, how: DriveHow) -> DriveWipe<RecordedTransport> {
        plan_with(controller, 1, how, "/dev/x".to_owned()).expect("a plan")
    }

    fn run(wipe: &DriveWipe<RecordedTransport>) -> (Result<bool, DriveWipeError>, Vec<f64>) {
        let mut heard = Vec::new();
        let clock = MonotonicClock::starting_at(0);
        let done = wipe.run(DestroyPermit::from_guard(), &clock, &StopToken::default(), &mut |done| heard.push(done));
        (done, heard)
    }

    /// SANICAP, byte 328: crypto erase is bit 0, block erase bit 1, overwrite bit 2.
    const SANICAP: usize = 328;

    #[test]
    fn the_best_erase_that_the_drive_has_is_asked_for_and_its_own_estimate_told() {
        let seconds = [(2, 1), (8, 200), (12, 20), (16, 2)];
        for (abilities, words, value, expected) in
            [(0b111, "block erase", 0b1010, 20), (0b101, "key away", 0b1100, 2), (0b100, "overwriting", 0b01_1011, 200)]
        {
            let asked = Request::Sanitize { value, pattern: 0 };
            let wipe = planned(drive(&[(SANICAP, abilities)], &seconds, &[asked]), DriveHow::Sanitize);
            assert!(wipe.words().contains(words), "{}", wipe.words());
            assert_eq!((wipe.expected(), wipe.reach()), (Some(Nanos::from_secs(expected)), Reach::Drive));
            let (done, heard) = run(&wipe);
            assert!(done.is_ok_and(|done| done), "{words}");
            assert_eq!(heard, [100.0]);
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
        // SPROG 8000h is the half.
        let wipe = planned(drive(&[(SANICAP, 2)], &[(1, 0x80), (2, 2)], &answers), DriveHow::Sanitize);
        let (stop, mut heard) = (StopToken::default(), Vec::new());
        stop.stop(drivelab_core::clock::StopCause::Person);
        let clock = MonotonicClock::starting_at(0);
        let done = wipe.run(DestroyPermit::from_guard(), &clock, &stop, &mut |done| heard.push(done));
        assert!(done.is_ok_and(|done| !done));
        assert_eq!(heard, [50.0]);
    }

    #[test]
    fn a_format_keeps_the_block_format_and_says_whether_it_reaches_further() {
        // OACS bit 1; SES 1 is in bits 11:9.
        let asked = Request::Format { nsid: 1, value: 2 | 1 << 9 };
        for (attributes, reach) in [(0, Reach::Namespace), (0b10, Reach::Drive)] {
            let controller = drive(&[(256, 2), (524, attributes)], &[], std::slice::from_ref(&asked));
            let wipe = planned(controller, DriveHow::Format);
            assert_eq!(wipe.reach(), reach);
            assert!(run(&wipe).0.is_ok_and(|done| done));
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
