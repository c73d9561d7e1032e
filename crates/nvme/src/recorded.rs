//! Recorded pages: kept while a real controller is asked, and asked later in its place.
//!
//! A bundle keeps what a probe read, so that a later version of drivelab can decode it anew. The same recording stands
//! in for controllers that are not at hand (several power states, a restore after SIGINT): whatever rests on that must
//! say that it was not tried on hardware.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::command::{AdminCommand, Request, Select};
use crate::error::NvmeError;
use crate::status::Status;
use crate::transport::Transport;

/// What a controller answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It did what was asked.
    Done {
        /// Dword 0 of the completion.
        dword0: u32,
        /// The data, from the first byte of the page.
        #[serde(with = "hex")]
        data: Vec<u8>,
    },
    /// It refused.
    Refused {
        /// Its status, without the phase bit.
        status: Status,
    },
}

/// A request with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// What was asked.
    pub request: Request,
    /// What was answered.
    pub answer: Answer,
}

/// All that was asked of one controller, each request once with its last answer. In JSON a list, data as hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Recorded>", into = "Vec<Recorded>")]
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
    #[must_use]
    pub fn answer(&self, request: &Request) -> Option<&Answer> {
        self.answers.get(request)
    }

    /// All of it, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (&Request, &Answer)> {
        self.answers.iter()
    }

    /// Takes one part of a page in: parts of a long page come one after the other.
    fn part(&mut self, command: &AdminCommand, dword0: u32, part: &[u8]) {
        let offset = usize::try_from(command.offset()).unwrap_or(usize::MAX);
        let mut data = match self.answers.remove(command.request()) {
            // A second reading from the start replaces the first.
            Some(Answer::Done { data, .. }) if offset == data.len() => data,
            _ => Vec::new(),
        };
        if offset == data.len() {
            data.extend_from_slice(part);
        }
        self.answers.insert(command.request().clone(), Answer::Done { dword0, data });
    }
}

impl From<Vec<Recorded>> for Recording {
    fn from(list: Vec<Recorded>) -> Self {
        Recording { answers: list.into_iter().map(|entry| (entry.request, entry.answer)).collect() }
    }
}

impl From<Recording> for Vec<Recorded> {
    fn from(recording: Recording) -> Self {
        recording.answers.into_iter().map(|(request, answer)| Recorded { request, answer }).collect()
    }
}

/// A transport that keeps every answer of another one.
#[derive(Debug)]
pub struct Keeper<T> {
    inner: T,
    kept: Mutex<Recording>,
}

impl<T: Transport> Keeper<T> {
    /// Keeps what `inner` answers.
    pub fn new(inner: T) -> Self {
        Keeper { inner, kept: Mutex::new(Recording::default()) }
    }

    /// What was kept so far.
    #[must_use]
    pub fn recording(&self) -> Recording {
        locked(&self.kept).clone()
    }

    /// Ends the keeping.
    #[must_use]
    pub fn into_parts(self) -> (T, Recording) {
        (self.inner, self.kept.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Transport> Transport for Keeper<T> {
    fn admin(&self, command: &AdminCommand, data: &mut [u8]) -> Result<u32, NvmeError> {
        let answer = self.inner.admin(command, data);
        match &answer {
            Ok(dword0) => locked(&self.kept).part(command, *dword0, data),
            Err(NvmeError::Refused { status, .. }) => locked(&self.kept).refusal(command.request().clone(), *status),
            // The kernel's answers are not the controller's.
            Err(_) => {}
        }
        answer
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

/// Bytes as hexadecimal text in JSON.
mod hex {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.as_bytes();
        if digits.len() % 2 != 0 {
            return Err(D::Error::custom("hexadecimal bytes have two digits each, and one is missing"));
        }
        let byte = |pair: &[u8]| {
            let digit = |sign: u8| char::from(sign).to_digit(16);
            let value = pair.first().and_then(|high| digit(*high)).zip(pair.last().and_then(|low| digit(*low)));
            value.and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
        };
        let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
        bytes.ok_or_else(|| D::Error::custom("a page has a sign in it that is no hexadecimal digit"))
    }
}
