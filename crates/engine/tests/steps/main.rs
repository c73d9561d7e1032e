//! Steps on real files, through the public interface of the engine, on both backends.
#![expect(clippy::unwrap_used, reason = "a test ends where its set-up fails")]

#[path = "../common/mod.rs"]
mod common;

mod answers;
mod coverage;
mod data;
mod eagain;
mod errors;
mod files;
mod groups;
mod intervals;
mod kinds;
mod open_loop;
mod orders;
mod replay;
mod unfit;
mod verify;
