//! Recorded pages that answer instead of a controller.
//!
//! A recording replaces controllers that are not at hand (several power states, a restore after SIGINT): results that
//! depend on it must say that they were not tried on hardware. Owns how such a controller answers; must not know
//! where the pages come from.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::commands::command::{AdminCommand, Request, Select};
use crate::commands::status::Status;
use crate::commands::transport::Transport;
use crate::reading::error::NvmeError;

/// What a controller answered.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    /// It did what was requested: dword 0 of the completion, and the data from the first byte of the page.
    Done { dword0: u32, data: Vec<u8> },
    /// It refused, with this status (without the phase bit).
    Refused { status: Status },
}

/// What one controller answers, by request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recording {
    answers: BTreeMap<Request, Answer>,
}

impl Recording {
    /// Adds a page whose whole content is `data`.
    pub fn page(&mut self, request: Request, data: Vec<u8>) {
        self.answers.insert(request, Answer::Done { dword0: 0, data });
    }

    /// Adds a request whose answer is only a dword, such as a feature.
    pub fn value(&mut self, request: Request, dword0: u32) {
        self.answers.insert(request, Answer::Done { dword0, data: Vec::new() });
    }

    /// Adds a refusal.
    pub fn refusal(&mut self, request: Request, status: Status) {
        self.answers.insert(request, Answer::Refused { status });
    }

    /// The recorded answer to this request.
    fn answer(&self, request: &Request) -> Option<&Answer> {
        self.answers.get(request)
    }
}

/// A controller made of recorded pages. Set Features changes what Get Features returns afterwards, as on a
/// controller; a request that was not recorded is an error.
#[derive(Debug, Default)]
pub struct RecordedTransport {
    pages: Mutex<Recording>,
    set: Mutex<Vec<(u8, u32)>>,
}

impl RecordedTransport {
    /// Answers from `recording`.
    #[must_use]
    pub fn new(recording: Recording) -> Self {
        RecordedTransport { pages: Mutex::new(recording), set: Mutex::new(Vec::new()) }
    }

    /// The recording that it answers from.
    #[must_use]
    pub fn recording(&self) -> Recording {
        locked(&self.pages).clone()
    }

    /// Every feature that was set, in order: its identifier and the value.
    #[must_use]
    pub fn set_features(&self) -> Vec<(u8, u32)> {
        locked(&self.set).clone()
    }

    /// Set Features: refused if a refusal of this value was recorded or if the feature was never answered.
    fn set_feature(&self, request: &Request, feature: u8, value: u32) -> Result<u32, NvmeError> {
        let mut pages = locked(&self.pages);
        let refused = |status: &Status| NvmeError::Refused { what: request.to_string(), status: *status };
        if let Some(Answer::Refused { status }) = pages.answer(request) {
            return Err(refused(status));
        }
        let current = Request::GetFeature { feature, select: Select::Current, argument: 0 };
        match pages.answer(&current) {
            Some(Answer::Done { .. }) => pages.value(current, value),
            Some(Answer::Refused { status }) => return Err(refused(status)),
            None => return Err(NvmeError::NotRecorded { what: request.to_string() }),
        }
        locked(&self.set).push((feature, value));
        Ok(0)
    }
}

impl Transport for RecordedTransport {
    fn admin(&self, command: &AdminCommand, data: &mut [u8]) -> Result<u32, NvmeError> {
        let request = command.request();
        if let Request::SetFeature { feature, value } = request {
            return self.set_feature(request, *feature, *value);
        }
        match locked(&self.pages).answer(request) {
            Some(Answer::Refused { status }) => Err(NvmeError::Refused { what: request.to_string(), status: *status }),
            Some(Answer::Done { dword0, data: page }) => {
                let offset = usize::try_from(command.offset()).unwrap_or(usize::MAX);
                let part = page.get(offset..).unwrap_or_default();
                // Bytes that a shorter recording lacks remain zero, as reserved bytes would be.
                for (to, from) in data.iter_mut().zip(part) {
                    *to = *from;
                }
                Ok(*dword0)
            }
            None => Err(NvmeError::NotRecorded { what: request.to_string() }),
        }
    }
}

/// A lock whose holder panicked still holds complete answers: each is stored by one call.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
