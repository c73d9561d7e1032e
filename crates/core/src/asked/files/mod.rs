//! Sets of files and what is done with them: the part of a load that works on many files in a folder.
//!
//! A set is a law, not a list: number, sizes and content follow from its numbers and its seed, so that a plan stays
//! small and every process makes the same set. Must not know: folders, handles.

mod room;
mod set;

pub use room::{Room, loads, room, room_of};
pub use set::{FILES_MAX, FILES_PER_FOLDER, FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
