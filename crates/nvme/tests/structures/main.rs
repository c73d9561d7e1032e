//! Structures tested against the specifications' offsets, which are written a second time here: every field of every
//! structure has a row with its offset. In addition: arbitrary bytes never cause a panic, and the corpus of the fuzz
//! targets is replayed.

mod any_bytes;
mod controller;
mod corpus;
mod fdp;
mod identify;
mod lies;
mod logs;
mod pages;
mod rows;
mod security;
