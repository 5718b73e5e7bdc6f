use super::*;
use crate::board::Board;
use crate::limits::Limits;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

fn real() -> Open {
    Limits::default().inotify
}

fn never() -> rustix::io::Result<std::os::fd::OwnedFd> {
    Err(Errno::MFILE)
}

fn is_short(metrics: &Metrics, what: &str) -> bool {
    let text = metrics.encode(&Board::new(Vec::new(), 0, 0));
    text.contains(&format!("headsup_inotify_short{{what=\"{what}\"}} 1"))
}

fn write(folder: &Path, name: &str) {
    fs::write(folder.join(name), "x").unwrap();
}

#[tokio::test]
async fn each_source_is_told_of_its_own_folder_alone() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let lookout = Lookout::new(real(), Arc::new(Metrics::new()));
    let (first, second) = (lookout.watcher(), lookout.watcher());
    let watch = first.add_folder(one.path()).unwrap();
    second.add_folder(other.path()).unwrap();
    tokio::spawn(Arc::clone(&lookout).run());
    write(other.path(), "b");
    assert_eq!(second.next().await[0].name.as_deref(), Some("b"));
    write(one.path(), "a");
    let changes = first.next().await;
    assert_eq!((changes[0].name.as_deref(), changes[0].watch), (Some("a"), watch));
    assert!(!is_short(&lookout.metrics, "instances"));
    // What nobody wants to know any more is not told.
    first.remove(watch);
    write(one.path(), "c");
    let again = first.add_folder(one.path()).unwrap();
    write(one.path(), "d");
    let changes = first.next().await;
    assert_eq!((changes[0].name.as_deref(), changes[0].watch), (Some("d"), again));
}

#[tokio::test]
async fn who_takes_a_folder_for_a_file_takes_it_from_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let lookout = Lookout::new(real(), Arc::new(Metrics::new()));
    let (of_folder, of_file) = (lookout.watcher(), lookout.watcher());
    let watch = of_folder.add_folder(folder.path()).unwrap();
    assert_eq!(of_file.add_file(folder.path()), None);
    tokio::spawn(Arc::clone(&lookout).run());
    write(folder.path(), "a");
    let changes = of_folder.next().await;
    assert_eq!((changes[0].name.as_deref(), changes[0].watch), (Some("a"), watch));
    assert!(of_file.add_file(&folder.path().join("a")).is_some());
}

#[tokio::test]
async fn a_watch_ends_with_its_folder() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, moved) = (parent.path().join("a"), parent.path().join("b"));
    fs::create_dir(&folder).unwrap();
    let lookout = Lookout::new(real(), Arc::new(Metrics::new()));
    let watcher = lookout.watcher();
    watcher.add_folder(&folder).unwrap();
    tokio::spawn(Arc::clone(&lookout).run());
    fs::rename(&folder, &moved).unwrap();
    assert!(watcher.next().await[0].is_over);
    assert!(lookout.kernel().owners.is_empty());
}

/// Of three askings the last is granted.
fn granted_late() -> rustix::io::Result<std::os::fd::OwnedFd> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    if ASKED.fetch_add(1, Ordering::Relaxed) < 2 { never() } else { real()() }
}

#[tokio::test(start_paused = true)]
async fn without_an_instance_it_is_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let lookout = Lookout::new(granted_late, Arc::new(Metrics::new()));
    let watcher = lookout.watcher();
    assert_eq!(watcher.add_folder(folder.path()), None);
    assert!(is_short(&lookout.metrics, "instances"));
    tokio::spawn(Arc::clone(&lookout).run());
    tokio::time::sleep(AGAIN * 2).await;
    assert!(watcher.add_folder(folder.path()).is_some());
    assert!(!is_short(&lookout.metrics, "instances"));
    write(folder.path(), "a");
    assert_eq!(watcher.next().await[0].name.as_deref(), Some("a"));
}

#[tokio::test]
async fn a_source_that_does_not_listen_is_told_once_to_look_at_everything() {
    let lookout = Lookout::new(never, Arc::new(Metrics::new()));
    let watcher = lookout.watcher();
    let change = |watch| Change { watch, name: None, is_over: false };
    for _ in 0..3 {
        watcher.told.push(change(1));
    }
    assert_eq!(watcher.next().await, [change(1)]);
    for watch in 0..=i32::try_from(MOST).unwrap() {
        watcher.told.push(change(watch));
    }
    assert_eq!(watcher.next().await, [Change::of_everything()]);
    lookout.lose();
    assert_eq!(watcher.next().await, [Change::of_everything()]);
}
