//! Recorded pages, asked in the place of a controller.
//!
//! A recording stands in for controllers that are not at hand (several power states, a restore after SIGINT): whatever
//! rests on that must say that it was not tried on hardware. Owns how such a controller answers; must not know where
//! the pages come from.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::commands::command::{AdminCommand, Request, Select};
use crate::commands::status::Status;
use crate::commands::transport::Transport;
use crate::reading::error::NvmeError;

/// What a controller answered.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    /// It did what was asked: dword 0 of the completion, and the data from the first byte of the page.
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
    /// Adds a page of which the whole is `data`.
    pub fn page(&mut self, request: Request, data: Vec<u8>) {
        self.answers.insert(request, Answer::Done { dword0: 0, data });
    }

    /// Adds a request that is answered by a dword alone, such as a feature.
    pub fn value(&mut self, request: Request, dword0: u32) {
        self.answers.insert(request, Answer::Done { dword0, data: Vec::new() });
    }

    /// Adds a refusal.
    pub fn refusal(&mut self, request: Request, status: Status) {
        self.answers.insert(request, Answer::Refused { status });
    }

    /// What was answered to this request.
    fn answer(&self, request: &Request) -> Option<&Answer> {
        self.answers.get(request)
    }
}

/// A controller made of recorded pages. Set Features changes what Get Features answers afterwards, as a controller
/// would; anything that is not recorded is an error that says so.
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

    /// What it answers from.
    #[must_use]
    pub fn recording(&self) -> Recording {
        locked(&self.pages).clone()
    }

    /// Every feature that was set, in order: its identifier and the value.
    #[must_use]
    pub fn set_features(&self) -> Vec<(u8, u32)> {
        locked(&self.set).clone()
    }

    /// Set Features: refused where a refusal of this very value was recorded or the feature was never answered.
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
                // What a shorter recording lacks stays zero, as reserved bytes would be.
                for (to, from) in data.iter_mut().zip(part) {
                    *to = *from;
                }
                Ok(*dword0)
            }
            None => Err(NvmeError::NotRecorded { what: request.to_string() }),
        }
    }
}

/// A lock whose holder panicked still holds whole answers: each is put in by one call.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
