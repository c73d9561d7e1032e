//! Sets of files and the work on them: the part of a load that uses many files in a folder.
//!
//! A set is described by a rule, not by a list: the number of files, their sizes and their content follow from its
//! parameters and its seed. A plan therefore stays small, and every process makes the same set. Must not know:
//! folders, handles.

mod room;
mod set;

pub use room::{Room, loads, room, room_of};
pub use set::{FILES_MAX, FILES_PER_FOLDER, FileLoad, FilePlace, FileSet, FileSizes, FileSync, FileWork};
