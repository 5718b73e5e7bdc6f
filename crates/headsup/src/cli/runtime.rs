//! Runtimes, or a word why there is none.

use crate::error::CommandError;
use nix::sys::signal::{SigSet, Signal as Name};
use rustix::process::Signal;
use std::any::Any;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// Where the system gives no thread and no descriptor for it the library panics. That is no defect of ours, and is
/// told in words.
pub(crate) fn build(builder: &mut Builder) -> Result<Runtime, CommandError> {
    let told_before = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let built = panic::catch_unwind(AssertUnwindSafe(|| builder.build()));
    panic::set_hook(told_before);
    let why = match built {
        Ok(Ok(runtime)) => return Ok(runtime),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => said(&*panic),
    };
    Err(CommandError::internal(format!("cannot start the runtime: {why}"))
        .hint("are there files, threads and memory enough? see `ulimit -a`"))
}

/// From now on a limit of a file's size is a disk that takes no more, and no end of this process. Who is started
/// has the signal as it always was. To be called in a runtime.
pub(super) fn outlive_file_limits() -> Result<(), CommandError> {
    let told = signal(SignalKind::from_raw(Signal::XFSZ.as_raw()));
    let why =
        |error: io::Error| CommandError::internal(format!("cannot listen to a signal: {error}"));
    told.map(drop).map_err(why)
}

/// Lets through what a hub hears: that it is to end, and the ends of what it has started. Whoever started it may have
/// blocked them, which is inherited. To be called before there is another thread.
pub(super) fn let_signals_through() {
    let heard = [Name::SIGCHLD, Name::SIGHUP, Name::SIGINT, Name::SIGQUIT, Name::SIGTERM];
    // Fails only for what is no signal.
    heard.into_iter().collect::<SigSet>().thread_unblock().ok();
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it does not say why").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn a_thread_that_the_system_refuses_is_an_error_and_no_panic() {
        let mut builder = Builder::new_multi_thread();
        // Nobody has so much room for a stack.
        builder.worker_threads(1).thread_stack_size(1 << 48);
        let error = build(&mut builder).unwrap_err();
        assert_eq!(error.kind, Kind::Internal);
        assert!(error.message.contains("can't spawn worker thread"), "{}", error.message);
        assert!(build(&mut Builder::new_current_thread()).is_ok());
    }
}
