//! Passes events to the listeners, each on its own thread: to the recorder first and without loss, to screens if they
//! keep up.
//!
//! During the run the session never waits for a screen (only at the end, for its last output): if a screen's queue is
//! full, it misses events. The recorder's queue has no size limit but a time limit: if the oldest event that it has
//! not taken is more than 5 s old during a step, the run stops, because a recording that cannot keep up would fill
//! the memory. In virtual time the session waits for the recorder instead: a simulated day takes seconds, and nothing
//! is late. Between steps the session waits for the recorder (fsync happens then): a slow fsync takes time but does
//! not disturb a measurement.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use drivelab_core::clock::{StopCause, StopToken};
use drivelab_core::event::Event;
use drivelab_core::listener::Listener;
use drivelab_core::units::Nanos;

/// Longest time that the recorder may be behind during a step.
pub const RECORDER_LIMIT: Nanos = Nanos::from_secs(5);
/// Longest time that the session waits for the recorder between steps: a disk that needs longer to make a few
/// kilobytes durable is broken.
const DURABLE_LIMIT: Duration = Duration::from_secs(120);
/// Most events that may wait for the recorder in virtual time.
const MOST_WAITING: usize = 32;
/// Longest wait at the end of a run for a recorder that is already lost: one that hangs in the kernel never returns.
const LOST_LIMIT: Duration = Duration::from_secs(5);
/// Advice for a disk that cannot take the results. A resumed run records to the same place: `--data` cannot move it.
const ELSEWHERE: &str = "free space on the disk that holds the results and run `drivelab resume`, or start a new run with \
                         --data DIR on another disk";
/// How often listeners may check for keys, redraw or flush.
const IDLE: Duration = Duration::from_millis(100);

/// The recorder failed or is too far behind; the run cannot continue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RecorderLost(pub String);

/// A listener that may miss events.
pub struct Screen {
    /// The listener.
    pub listener: Box<dyn Listener>,
    /// Most events that may wait for it before it misses some.
    pub capacity: usize,
    /// Longest wait at the end of a run for its last output. `None`: no limit, if a program reads the output.
    pub patience: Option<Duration>,
}

/// State shared by the session and the recorder thread.
#[derive(Default)]
struct Progress {
    /// Times on the run clock of the events that the recorder has not yet taken, oldest first.
    waiting_since_ns: VecDeque<u64>,
    /// Why the recorder takes no more events.
    lost: Option<String>,
    /// Whether the recorder's thread has ended.
    over: bool,
}

#[derive(Default)]
struct Shared {
    progress: Mutex<Progress>,
    changed: Condvar,
}

impl Shared {
    /// A poisoned lock means that a listener panicked while it held plain data: the data are still valid.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lose(&self, message: String) {
        self.lock().lost.get_or_insert(message);
        self.changed.notify_all();
    }
}

/// A screen's thread, as the session sees it.
struct Shown {
    events: SyncSender<Arc<Event>>,
    thread: JoinHandle<()>,
    /// Nothing is sent on it; it is closed when the thread has ended for any reason.
    over: Receiver<()>,
    patience: Option<Duration>,
}

/// The listeners of a run.
pub struct Fanout {
    recorder: Sender<Arc<Event>>,
    recorder_thread: JoinHandle<()>,
    shared: Arc<Shared>,
    screens: Vec<Shown>,
    stop: StopToken,
    /// Whether time is virtual, so that the recorder sets the pace.
    virtual_time: bool,
}

impl Fanout {
    /// Starts a thread for the recorder and one for each screen. `stop` is set when the recorder is lost.
    #[must_use]
    pub fn start(recorder: Box<dyn Listener>, screens: Vec<Screen>, stop: StopToken) -> Self {
        let shared = Arc::new(Shared::default());
        let (sender, receiver) = channel();
        let recorder_thread = std::thread::spawn({
            let (shared, stop) = (Arc::clone(&shared), stop.clone());
            move || {
                let _over = Over { shared: &shared, stop: &stop };
                record(recorder, &receiver, &shared, &stop);
            }
        });
        let screens = screens
            .into_iter()
            .map(|screen| {
                let (events, receiver) = sync_channel(screen.capacity);
                let (alive, over) = channel();
                let thread = std::thread::spawn(move || {
                    let _alive: Sender<()> = alive;
                    show(screen.listener, &receiver);
                });
                Shown { events, thread, over, patience: screen.patience }
            })
            .collect();
        Fanout { recorder: sender, recorder_thread, shared, screens, stop, virtual_time: false }
    }

    /// Sets whether the time of the run is virtual.
    pub(crate) fn in_virtual_time(&mut self, is_virtual: bool) {
        self.virtual_time = is_virtual;
    }

    /// Passes an event to the recorder, then offers it to the screens.
    pub(crate) fn send(&mut self, event: Event) -> Result<(), RecorderLost> {
        let event = Arc::new(event);
        if self.virtual_time {
            self.wait_until_few_wait(MOST_WAITING)?;
        }
        {
            let mut progress = self.shared.lock();
            if let Some(lost) = &progress.lost {
                return Err(RecorderLost(lost.clone()));
            }
            let now_ns = event.at_ns;
            if let Some(oldest) = progress.waiting_since_ns.front().filter(|_| !self.virtual_time)
                && now_ns.saturating_sub(*oldest) > RECORDER_LIMIT.get()
            {
                let message = format!(
                    "the recorder is more than {RECORDER_LIMIT} behind: the disk that holds the results cannot keep up \
                     (is it the one under test, or full?); {ELSEWHERE}"
                );
                progress.lost = Some(message.clone());
                self.stop.stop(StopCause::Recorder);
                return Err(RecorderLost(message));
            }
            progress.waiting_since_ns.push_back(now_ns);
        }
        let gone = self.recorder.send(Arc::clone(&event)).is_err();
        for screen in &self.screens {
            match screen.events.try_send(Arc::clone(&event)) {
                Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
            }
        }
        if gone { self.why_lost() } else { Ok(()) }
    }

    /// Waits until the recorder has taken everything sent so far, and has made it durable if its format requires that.
    pub(crate) fn wait_for_recorder(&self) -> Result<(), RecorderLost> {
        self.wait_until_few_wait(0)
    }

    /// Waits until at most `most` events are waiting for the recorder.
    fn wait_until_few_wait(&self, most: usize) -> Result<(), RecorderLost> {
        let (progress, timeout) = self
            .shared
            .changed
            .wait_timeout_while(self.shared.lock(), DURABLE_LIMIT, |progress| {
                progress.lost.is_none() && progress.waiting_since_ns.len() > most
            })
            .unwrap_or_else(PoisonError::into_inner);
        match &progress.lost {
            Some(lost) => Err(RecorderLost(lost.clone())),
            None if timeout.timed_out() => {
                drop(progress);
                self.stop.stop(StopCause::Recorder);
                let seconds = DURABLE_LIMIT.as_secs();
                let message = format!(
                    "the recorder could not make the results durable within {seconds} s: the disk that holds them does \
                     not answer; {ELSEWHERE}"
                );
                self.shared.lose(message.clone());
                Err(RecorderLost(message))
            }
            None => Ok(()),
        }
    }

    /// Lets every listener finish and waits for it; for screens only as long as their patience lasts, so that their
    /// last output is shown. The wait for a recorder that is already lost is limited.
    pub(crate) fn finish(self) -> Result<(), RecorderLost> {
        drop(self.recorder);
        let lost = self.shared.lock().lost.is_some();
        let limit = if lost { LOST_LIMIT } else { DURABLE_LIMIT };
        let (progress, _) = self
            .shared
            .changed
            .wait_timeout_while(self.shared.lock(), limit, |progress| !progress.over)
            .unwrap_or_else(PoisonError::into_inner);
        let over = progress.over;
        drop(progress);
        if over {
            let _ = self.recorder_thread.join();
        } else {
            self.shared.lose("the recorder does not respond: the disk that holds the results does not answer".into());
        }
        for Shown { events, thread, over, patience } in self.screens {
            drop(events);
            // A screen that does not return is abandoned and ends with the process: what the run has set up must be
            // undone in any case.
            if patience.is_some_and(|patience| over.recv_timeout(patience) == Err(RecvTimeoutError::Timeout)) {
                continue;
            }
            // If a screen panicked, only the screen is lost, not the run.
            let _ = thread.join();
        }
        match self.shared.lock().lost.take() {
            Some(lost) => Err(RecorderLost(lost)),
            None => Ok(()),
        }
    }

    fn why_lost(&self) -> Result<(), RecorderLost> {
        let lost = self.shared.lock().lost.clone();
        Err(RecorderLost(lost.unwrap_or_else(|| "the recorder ended before the run: this is a bug in drivelab".into())))
    }
}

/// Reports that the recorder's thread has ended, also after a panic.
struct Over<'a> {
    shared: &'a Shared,
    stop: &'a StopToken,
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.lose("the recorder panicked: this is a bug in drivelab; the events up to now are kept".into());
            self.stop.stop(StopCause::Recorder);
        }
        self.shared.lock().over = true;
        self.shared.changed.notify_all();
    }
}

/// The recorder's thread.
fn record(mut recorder: Box<dyn Listener>, events: &Receiver<Arc<Event>>, shared: &Shared, stop: &StopToken) {
    loop {
        let taken = match events.recv_timeout(IDLE) {
            Ok(event) => recorder.event(&event).map(|()| true),
            Err(RecvTimeoutError::Timeout) => recorder.idle().map(|()| false),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        // An event that could not be kept stays in the queue, so that no waiting code takes it for recorded.
        match taken {
            Ok(true) => {
                shared.lock().waiting_since_ns.pop_front();
                shared.changed.notify_all();
            }
            Ok(false) => {}
            Err(error) => {
                shared.lose(error.message);
                stop.stop(StopCause::Recorder);
                return;
            }
        }
    }
    if let Err(error) = recorder.finish() {
        shared.lose(error.message);
    }
}

/// A screen's thread: if the screen is lost, the run continues without it.
fn show(mut screen: Box<dyn Listener>, events: &Receiver<Arc<Event>>) {
    loop {
        let shown = match events.recv_timeout(IDLE) {
            Ok(event) => screen.event(&event),
            Err(RecvTimeoutError::Timeout) => screen.idle(),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if shown.is_err() {
            return;
        }
    }
    let _ = screen.finish();
}
