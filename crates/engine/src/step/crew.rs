//! The OS threads of a step. Works like `std::thread::scope`, but a thread whose operations the kernel never returns
//! can be left behind.
//!
//! The kernel lets no thread end while requests of its ring are in flight, so joining such a thread would wait for a
//! drive that has stopped answering. Handing over its result is the last thing that a member does with anything
//! borrowed; one that is left behind then sleeps for ever. Unsafe because such threads outlive what the borrow
//! checker can verify.
#![expect(unsafe_code, reason = "threads that borrow and are not always joined: Builder::spawn_unchecked")]

use std::any::Any;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// What a member of a crew returns.
pub(crate) struct Finished<T> {
    pub(crate) value: T,
    /// Requests of its ring are still with the kernel: the thread must not end.
    pub(crate) is_held: bool,
}

type Message<T> = Result<Finished<T>, Box<dyn Any + Send>>;

struct Member<T> {
    message: Receiver<Message<T>>,
    handle: Option<JoinHandle<()>>,
}

/// Threads that borrow from `'env`.
pub(crate) struct Crew<'env, T> {
    members: Vec<Member<T>>,
    // Invariant: the environment can be neither extended nor shortened.
    environment: PhantomData<&'env mut &'env ()>,
}

/// Runs `work` with a crew, and returns only after every member has handed over its result, also if `work` panics.
pub(crate) fn with<'env, T: Send + 'env, R>(work: impl FnOnce(&mut Crew<'env, T>) -> R) -> R {
    let mut crew = Crew { members: Vec::new(), environment: PhantomData };
    // `work` gets only a reference, so it cannot prevent the crew's end from running.
    work(&mut crew)
}

impl<'env, T: Send + 'env> Crew<'env, T> {
    /// Starts a member.
    ///
    /// # Errors
    /// The kernel's, if it makes no more threads.
    pub(crate) fn start(&mut self, name: String, work: impl FnOnce() -> Finished<T> + Send + 'env) -> io::Result<()> {
        let (hand_over, message) = sync_channel(1);
        let body = move || live(work, &hand_over);
        // SAFETY: what `work` borrows lives for 'env, which outlives the call of `with`; `with` does not return
        // before the message of this member has come (`finish`, or `drop` on a panic). After sending it the thread
        // uses nothing that was borrowed: `work` has been consumed and its result moved into the message, and what is
        // left are the channel's end and, if it is held, sleeping.
        let handle = unsafe { Builder::new().name(name).spawn_unchecked(body) }?;
        self.members.push(Member { message, handle: Some(handle) });
        Ok(())
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// Waits for all results, in the order of starting.
    ///
    /// # Panics
    /// Resumes the panic of a member.
    pub(crate) fn finish(&mut self) -> Vec<T> {
        let mut members = std::mem::take(&mut self.members);
        let results: Vec<Message<T>> = members.iter_mut().map(Member::wait).collect();
        let values = results.into_iter().map(|result| match result {
            Ok(left) => left.value,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        values.collect()
    }
}

impl<T> Drop for Crew<'_, T> {
    fn drop(&mut self) {
        for member in &mut self.members {
            let _ = member.wait();
        }
    }
}

impl<T> Member<T> {
    fn wait(&mut self) -> Message<T> {
        let message = self.message.recv();
        let is_held = matches!(&message, Ok(Ok(left)) if left.is_held);
        if let Some(handle) = self.handle.take().filter(|_| !is_held) {
            let _ = handle.join();
        }
        message.unwrap_or_else(|gone| Err(Box::new(gone)))
    }
}

/// The body of a member's thread.
fn live<T>(work: impl FnOnce() -> Finished<T>, hand_over: &SyncSender<Message<T>>) {
    let result = catch_unwind(AssertUnwindSafe(work));
    let is_held = matches!(&result, Ok(left) if left.is_held);
    let _ = hand_over.send(result);
    if is_held {
        loop {
            std::thread::park();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(value: u32, is_held: bool) -> Finished<u32> {
        Finished { value, is_held }
    }

    #[test]
    fn results_come_in_order_and_a_held_thread_is_not_waited_for() {
        let borrowed = [10, 20, 30];
        let sum = with(|crew| {
            for (number, value) in borrowed.iter().enumerate() {
                crew.start(format!("test-{number}"), move || left(*value, number == 1)).expect("a thread");
            }
            assert_eq!(crew.len(), 3);
            crew.finish()
        });
        assert_eq!(sum, borrowed);
    }

    #[test]
    #[should_panic(expected = "a member's own words")]
    fn a_panic_of_a_member_goes_on() {
        with(|crew: &mut Crew<'_, u32>| {
            crew.start("test".to_owned(), || panic!("a member's own words")).expect("a thread");
            crew.finish();
        });
    }

    #[test]
    fn a_panic_of_the_caller_waits_for_the_members() {
        let done = std::sync::atomic::AtomicBool::new(false);
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            with(|crew: &mut Crew<'_, u32>| {
                let work = || {
                    std::thread::yield_now();
                    done.store(true, std::sync::atomic::Ordering::SeqCst);
                    left(1, false)
                };
                crew.start("test".to_owned(), work).expect("a thread");
                panic!("the caller's");
            });
        }));
        assert!(unwound.is_err() && done.load(std::sync::atomic::Ordering::SeqCst));
    }
}
