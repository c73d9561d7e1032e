//! Carries events to the listeners, each on a thread of its own: the recorder first and lossless, screens best-effort.
//!
//! While it runs the session never waits for a screen (at the end it does, for its last words): a full screen queue
//! loses events. The recorder's queue has no bound, but a limit in time: when the oldest event it has not taken is more
//! than 5 s old during a step, the run stops, because a recording that cannot keep up would fill the memory. Where time
//! is virtual, the session waits for the recorder instead: a simulated day is over in seconds, and nothing is late.
//! Between steps the session waits for the recorder (that is where fsync happens); a slow fsync there costs time but no
//! measurement.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use drivelab_core::clock::{StopCause, StopToken, monotonic_raw_ns};
use drivelab_core::event::Event;
use drivelab_core::listener::Listener;
use drivelab_core::units::Nanos;

/// How far the recorder may fall behind during a step.
pub const RECORDER_LIMIT: Nanos = Nanos::from_secs(5);
/// How long the session waits for the recorder between steps before it gives up: a disk that needs longer to make a
/// few kilobytes durable is broken.
const DURABLE_LIMIT: Duration = Duration::from_secs(120);
/// Events that may wait for the recorder where time is virtual.
const MOST_WAITING: usize = 32;
/// How long the end of a run waits for a recorder that is already lost: one that hangs in the kernel never comes back.
const LOST_LIMIT: Duration = Duration::from_secs(5);
/// What to do about a disk that cannot take the results. A run goes on where it is recorded: `--data` moves none.
const ELSEWHERE: &str = "free space on the disk that holds the results and run `drivelab resume`, or begin a new run with \
                         --data DIR on another disk";
/// How often listeners may look at keys, redraw or flush.
const IDLE: Duration = Duration::from_millis(100);

/// The recorder failed or fell behind; the run cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RecorderLost(pub String);

/// A listener that may miss events.
pub struct Screen {
    /// The listener.
    pub listener: Box<dyn Listener>,
    /// Events that may wait for it before it misses some.
    pub capacity: usize,
    /// How long the end of a run waits for its last words. `None`: as long as it takes, where a program reads them.
    pub patience: Option<Duration>,
}

/// What session and recorder thread share.
#[derive(Default)]
struct Progress {
    /// Times at which events were sent that the recorder has not taken yet, oldest first.
    waiting_since_ns: VecDeque<u64>,
    /// Why the recorder can take no more.
    lost: Option<String>,
    /// The recorder's thread is over.
    over: bool,
}

#[derive(Default)]
struct Shared {
    progress: Mutex<Progress>,
    changed: Condvar,
}

impl Shared {
    /// A poisoned lock means a listener panicked while it held plain data: the data are still good.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lose(&self, message: String) {
        self.lock().lost.get_or_insert(message);
        self.changed.notify_all();
    }
}

/// A screen's thread, from outside.
struct Shown {
    events: SyncSender<Arc<Event>>,
    thread: JoinHandle<()>,
    /// Nothing is sent; it is closed when the thread is over, however it ended.
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
    /// Time is virtual: the recorder sets the pace.
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

    /// Says whether the time of the run is virtual.
    pub(crate) fn in_virtual_time(&mut self, is_virtual: bool) {
        self.virtual_time = is_virtual;
    }

    /// Hands an event to the recorder, then offers it to the screens.
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
            let now_ns = monotonic_raw_ns();
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

    /// Waits until the recorder has taken (and where its format asks for it, made durable) everything sent so far.
    pub(crate) fn wait_for_recorder(&self) -> Result<(), RecorderLost> {
        self.wait_until_few_wait(0)
    }

    /// Waits until at most so many events wait for the recorder.
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

    /// Lets every listener finish and waits for them; screens too, as long as their patience lasts, so that their last
    /// words are out. A recorder that is lost already is not waited for without end.
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
            self.shared.lose("the recorder does not come back: the disk that holds the results does not answer".into());
        }
        for Shown { events, thread, over, patience } in self.screens {
            drop(events);
            // A screen that does not come back is left behind, and goes with the process: what the run has set up must
            // be put back, whoever hangs.
            if patience.is_some_and(|patience| over.recv_timeout(patience) == Err(RecvTimeoutError::Timeout)) {
                continue;
            }
            // A screen that panicked costs the screen, not the run.
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

/// Says that the recorder's thread is over, also when it panicked.
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
        // What it could not keep stays among what waits, so that nobody who waits takes it for kept.
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

/// A screen's thread: when the screen is lost, the run goes on without it.
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
