//! The index in SQLite, and all SQL of drivelab: the schema, its migrations, and a few statements.
//!
//! The journal mode is the rollback journal (`DELETE`), never the write-ahead log. The log maps a file of shared
//! memory (`-shm`), even for reading, and on a full file system a store to that map raises SIGBUS, which ends a run.
//! The log also fails on some network file systems. Its advantage, concurrent writers, is not needed: a run writes
//! its row twice. A catalog that an earlier drivelab left in log mode is converted without a map (in `EXCLUSIVE`
//! locking mode SQLite keeps the index of the log in its own memory: sqlite.org/wal.html, section 8). `PRAGMA
//! user_version` counts the migrations done.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use drivelab_core::event::RunState;
use drivelab_core::ids::RunId;
use drivelab_core::input;
use drivelab_core::label::Label;
use drivelab_core::plan::Form;
use drivelab_core::units::Bytes;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, TransactionBehavior, params};

use super::kept::{Index, KeptDigest};
use super::row::RunRow;
use crate::error::StoreError;

/// Migration `n` leads from version `n` to `n + 1`. Never edit a released migration; add another one.
const MIGRATIONS: [&str; 6] = [
    "
    CREATE TABLE run (
        id TEXT PRIMARY KEY,
        stamp TEXT NOT NULL,
        state TEXT NOT NULL,
        started TEXT NOT NULL,
        method TEXT NOT NULL,
        method_version TEXT NOT NULL,
        method_hash TEXT NOT NULL,
        form TEXT NOT NULL,
        target TEXT NOT NULL,
        drive TEXT,
        steps_done INTEGER NOT NULL,
        steps_total INTEGER NOT NULL,
        damaged TEXT
    ) STRICT;
    CREATE TABLE probe (id INTEGER PRIMARY KEY, value INTEGER NOT NULL) STRICT;
",
    "
    ALTER TABLE run ADD COLUMN title TEXT NOT NULL DEFAULT '';
",
    "
    ALTER TABLE run ADD COLUMN serial TEXT;
    ALTER TABLE run ADD COLUMN firmware TEXT;
    ALTER TABLE run ADD COLUMN capacity INTEGER;
    ALTER TABLE run ADD COLUMN testbed TEXT NOT NULL DEFAULT '';
    ALTER TABLE run ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
",
    "
    CREATE TABLE digest (
        run TEXT PRIMARY KEY,
        version TEXT NOT NULL,
        stamp TEXT NOT NULL,
        document BLOB NOT NULL
    ) STRICT;
",
    "
    ALTER TABLE run ADD COLUMN profile TEXT NOT NULL DEFAULT '';
    ALTER TABLE run ADD COLUMN length_ms INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE run ADD COLUMN name TEXT NOT NULL DEFAULT '';
    ALTER TABLE run ADD COLUMN note TEXT NOT NULL DEFAULT '';
",
    "
    ALTER TABLE run ADD COLUMN conditions TEXT NOT NULL DEFAULT '{}';
",
];

/// Longest wait for another process that is writing.
const BUSY: Duration = Duration::from_secs(5);

/// The open database.
#[derive(Debug)]
pub(super) struct Database {
    connection: Connection,
    path: PathBuf,
}

impl Database {
    /// Opens the database and migrates it; in memory if the file cannot be written or has no space to grow.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        match Database::open_file(path) {
            Err(StoreError::ReadOnly { .. } | StoreError::Full { .. }) => {
                let mut connection = Connection::open_in_memory().map_err(|error| sorted(path, &error))?;
                prepare(&mut connection, path)?;
                Ok(Database { connection, path: path.to_owned() })
            }
            other => other,
        }
    }

    /// The same for the file only, without the fallback to memory.
    pub(super) fn open_file(path: &Path) -> Result<Self, StoreError> {
        leave_log(path)?;
        let mut connection = Connection::open(path).map_err(|error| sorted(path, &error))?;
        prepare(&mut connection, path)?;
        Ok(Database { connection, path: path.to_owned() })
    }

    /// Whether SQLite finds the file intact.
    pub(super) fn is_sound(&self) -> bool {
        let answer: Result<String, _> = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
        answer.is_ok_and(|answer| answer == "ok") && self.rows().is_ok()
    }
}

impl Index for Database {
    fn rows(&self) -> Result<HashMap<RunId, (RunRow, String)>, StoreError> {
        let select = "SELECT id, stamp, state, started, method, method_version, method_hash, form, target, drive, \
                      steps_done, steps_total, damaged, title, serial, firmware, capacity, testbed, tags, profile, \
                      length_ms, name, note, conditions FROM run";
        let all = || -> rusqlite::Result<Vec<Option<(RunRow, String)>>> {
            self.connection.prepare_cached(select)?.query_map([], from_row)?.collect()
        };
        let rows = all().map_err(|error| sorted(&self.path, &error))?;
        Ok(rows.into_iter().flatten().map(|(row, stamp)| (row.id, (row, stamp))).collect())
    }

    fn put(&self, row: &RunRow, stamp: &str) -> Result<(), StoreError> {
        put(&self.connection, row, stamp).map_err(|error| sorted(&self.path, &error))
    }

    fn put_all(&self, rows: &[(RunRow, String)]) -> Result<(), StoreError> {
        let put_all = || -> rusqlite::Result<()> {
            let transaction = self.connection.unchecked_transaction()?;
            rows.iter().try_for_each(|(row, stamp)| put(&transaction, row, stamp))?;
            transaction.commit()
        };
        put_all().map_err(|error| sorted(&self.path, &error))
    }

    fn forget(&self, run: RunId) -> Result<(), StoreError> {
        let forget = || -> rusqlite::Result<()> {
            self.connection.execute("DELETE FROM digest WHERE run = ?1", [run.to_string()])?;
            self.connection.execute("DELETE FROM run WHERE id = ?1", [run.to_string()]).map(drop)
        };
        forget().map_err(|error| sorted(&self.path, &error))
    }

    fn digest(&self, run: RunId) -> Result<Option<KeptDigest>, StoreError> {
        let select = "SELECT version, stamp, document FROM digest WHERE run = ?1";
        let kept = |row: &Row<'_>| {
            Ok(KeptDigest { version: row.get("version")?, stamp: row.get("stamp")?, document: row.get("document")? })
        };
        let find = || self.connection.prepare_cached(select)?.query_row([run.to_string()], kept).optional();
        find().map_err(|error| sorted(&self.path, &error))
    }

    fn put_digest(&self, run: RunId, digest: &KeptDigest) -> Result<(), StoreError> {
        let KeptDigest { version, stamp, document } = digest;
        let insert = "INSERT OR REPLACE INTO digest (run, version, stamp, document) VALUES (?1, ?2, ?3, ?4)";
        let done = self.connection.execute(insert, params![run.to_string(), version, stamp, document]);
        done.map(drop).map_err(|error| sorted(&self.path, &error))
    }

    fn replace_all(&mut self, rows: &[(RunRow, String)]) -> Result<(), StoreError> {
        let path = self.path.clone();
        let mut replace = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute("DELETE FROM digest", [])?;
            transaction.execute("DELETE FROM run", [])?;
            for (row, stamp) in rows {
                put(&transaction, row, stamp)?;
            }
            transaction.commit()
        };
        replace().map_err(|error| sorted(&path, &error))
    }
}

/// Moves an unusable database aside, with its journal files.
pub(super) fn move_aside(path: &Path) -> Result<(), StoreError> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let with = |middle: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!("{middle}{suffix}"));
            PathBuf::from(name)
        };
        let (from, to) = (with(""), with(&format!(".aside-{seconds}")));
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io("move aside", &from, error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let sort = |error: rusqlite::Error| sorted(path, &error);
    connection.busy_timeout(BUSY).map_err(sort)?;
    migrate(connection, path)?;
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(sort)
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let sort = |error: rusqlite::Error| sorted(path, &error);
    let knows = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let version = |connection: &Connection| connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if version(connection).map_err(sort)? == knows {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sort)?;
    // Checked again under the lock: another process may have migrated in the meantime.
    let found = version(&transaction).map_err(sort)?;
    let done = match usize::try_from(found) {
        Ok(done) if done <= MIGRATIONS.len() => done,
        _ => return Err(StoreError::CatalogNewer { path: path.to_owned(), found, knows }),
    };
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration).map_err(sort)?;
    }
    transaction.pragma_update(None, "user_version", knows).map_err(sort)?;
    transaction.commit().map_err(sort)
}

/// Converts a catalog from the write-ahead log, if an earlier drivelab left it in that mode, without mapping anything.
fn leave_log(path: &Path) -> Result<(), StoreError> {
    // Byte 18 of the header, the file format write version, is 2 in log mode (sqlite.org/fileformat2.html, 1.3.3).
    let mut head = [0; 19];
    let file = match input::open(path) {
        // With a pipe, SQLite would wait for its other end without limit.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            return Err(StoreError::CatalogDamaged { path: path.to_owned(), why: error.to_string() });
        }
        file => file,
    };
    let read = file.and_then(|mut file| file.read_exact(&mut head));
    if read.is_err() || head[18] != 2 {
        return Ok(());
    }
    let sort = |error: rusqlite::Error| sorted(path, &error);
    let connection = Connection::open(path).map_err(sort)?;
    connection.busy_timeout(BUSY).map_err(sort)?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE").map_err(sort)?;
    connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0)).map(drop).map_err(sort)
}

fn put(connection: &Connection, row: &RunRow, stamp: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT OR REPLACE INTO run (id, stamp, state, started, method, method_version, method_hash, form, target, \
         drive, steps_done, steps_total, damaged, title, serial, firmware, capacity, testbed, tags, profile, \
         length_ms, name, note, conditions) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, \
         ?23, ?24)",
    )?;
    // Whether a run is live is determined from the lock each time and never stored.
    let RunRow { id, state, live: _, started, method, method_version, method_hash, form, target, .. } = row;
    let RunRow { title, drive, serial, firmware, capacity, testbed, steps_done, steps_total, damaged, .. } = row;
    let RunRow { profile, length_ms, label: Label { title: name, note, tags, conditions }, .. } = row;
    let length_ms = i64::try_from(*length_ms).unwrap_or(i64::MAX);
    let (id, state, form) = (id.to_string(), state.name(), form.name());
    let capacity = capacity.and_then(|capacity| i64::try_from(capacity.get()).ok());
    let tags = serde_json::Value::from(tags.as_slice()).to_string();
    let conditions = serde_json::json!(conditions).to_string();
    statement
        .execute(params![
            id,
            stamp,
            state,
            started,
            method,
            method_version,
            method_hash,
            form,
            target,
            drive,
            steps_done,
            steps_total,
            damaged,
            title,
            serial,
            firmware,
            capacity,
            testbed,
            tags,
            profile,
            length_ms,
            name,
            note,
            conditions
        ])
        .map(drop)
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Option<(RunRow, String)>> {
    let text = |column: &str| row.get::<_, String>(column);
    let (id, state, form) = (text("id")?, text("state")?, text("form")?);
    let (Ok(id), Some(state), Some(form)) = (id.parse::<RunId>(), state_of(&state), form_of(&form)) else {
        return Ok(None);
    };
    let run = RunRow {
        id,
        state,
        live: false,
        started: text("started")?,
        method: text("method")?,
        method_version: text("method_version")?,
        method_hash: text("method_hash")?,
        form,
        title: text("title")?,
        target: text("target")?,
        drive: row.get("drive")?,
        serial: row.get("serial")?,
        firmware: row.get("firmware")?,
        capacity: row.get::<_, Option<i64>>("capacity")?.and_then(|bytes| u64::try_from(bytes).ok()).map(Bytes::new),
        testbed: text("testbed")?,
        profile: text("profile")?,
        length_ms: u64::try_from(row.get::<_, i64>("length_ms")?).unwrap_or(0),
        label: Label {
            title: text("name")?,
            note: text("note")?,
            tags: serde_json::from_str(&text("tags")?).unwrap_or_default(),
            conditions: serde_json::from_str(&text("conditions")?).unwrap_or_default(),
        },
        steps_done: row.get("steps_done")?,
        steps_total: row.get("steps_total")?,
        damaged: row.get("damaged")?,
    };
    Ok(Some((run, text("stamp")?)))
}

fn state_of(name: &str) -> Option<RunState> {
    [RunState::Complete, RunState::Interrupted, RunState::Failed].into_iter().find(|state| state.name() == name)
}

fn form_of(name: &str) -> Option<Form> {
    [Form::Faithful, Form::Quick, Form::Smoke].into_iter().find(|form| form.name() == name)
}

/// SQLite's error, sorted by the action that helps.
fn sorted(path: &Path, error: &rusqlite::Error) -> StoreError {
    let (path, why) = (path.to_owned(), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => StoreError::CatalogDamaged { path, why },
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { action: "open", path, source: std::io::Error::other(why) }
        }
        Some(ErrorCode::DiskFull) => StoreError::Full { action: "write to", path },
        Some(ErrorCode::SystemIoFailure) if is_full(&path) => StoreError::Full { action: "write to", path },
        _ if why.contains("no such table") || why.contains("no such column") => {
            StoreError::CatalogDamaged { path, why }
        }
        _ => StoreError::Catalog { path, why },
    }
}

/// Whether the file system of a file has no space for another page of the catalog: not every SQLite error states that
/// the disk is full.
fn is_full(path: &Path) -> bool {
    let space = path.parent().and_then(|folder| rustix::fs::statvfs(folder).ok());
    space.is_some_and(|space| space.f_bavail.saturating_mul(space.f_frsize) < 64 << 10)
}
