use super::*;
use crate::store::Store;
use headsup_core::time::UnixMs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixStream;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_folder_and_the_socket_are_for_us_alone() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a/b");
    let home = Home::claim(&path).unwrap();
    let _listener = home.listen().unwrap();
    assert_eq!(mode(&path), 0o700);
    assert_eq!(mode(&path.join("spool")), 0o700);
    assert_eq!(mode(&home.socket()), 0o600);
    home.unlisten();
    assert!(!home.socket().exists());
}

#[test]
fn an_open_folder_of_ours_is_closed() {
    let temp = tempfile::tempdir().unwrap();
    fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let _home = Home::claim(temp.path()).unwrap();
    assert_eq!(mode(temp.path()), 0o700);
}

#[test]
fn an_open_folder_with_other_things_in_it_is_left_as_it_is() {
    let temp = tempfile::tempdir().unwrap();
    let open = || fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(temp.path().join("public")).unwrap();
    open();
    assert!(matches!(Home::claim(temp.path()), Err(HomeError::Shared(_))));
    assert_eq!(mode(temp.path()), 0o755);
    assert!(!temp.path().join(LOCK).exists());
    // Where a hub has been it is ours, whatever has come beside it.
    fs::write(temp.path().join(LOCK), "").unwrap();
    let _home = Home::claim(temp.path()).unwrap();
    assert_eq!(mode(temp.path()), 0o700);
}

#[tokio::test(start_paused = true)]
async fn a_socket_that_is_taken_away_is_noticed_and_made_again() {
    let temp = tempfile::tempdir().unwrap();
    let home = Home::claim(temp.path()).unwrap();
    let mut listeners = vec![home.listen().unwrap()];
    for put_another in [false, true] {
        let mut lost = std::pin::pin!(home.lost());
        assert!(tokio::time::timeout(LOOK * 3, &mut lost).await.is_err());
        fs::remove_file(home.socket()).unwrap();
        let _other = put_another.then(|| UnixListener::bind(home.socket()).unwrap());
        assert_eq!(lost.await, Lost::Socket);
        listeners.push(home.listen().unwrap());
        assert!(UnixStream::connect(home.socket()).is_ok());
        assert!(listeners.last().unwrap().accept().is_ok(), "it is ours");
    }
}

#[test]
fn whoever_has_the_folder_is_known_by_its_lock() {
    let temp = tempfile::tempdir().unwrap();
    let found = || (is_held(temp.path()), holder(temp.path()));
    assert_eq!(found(), (false, None));
    let home = Home::claim(temp.path()).unwrap();
    assert_eq!(found(), (true, Some(std::process::id())));
    // One that has it by that number somewhere else.
    fs::write(temp.path().join(LOCK), "1\n").unwrap();
    assert_eq!(found(), (true, None));
    drop(home);
    assert_eq!(found(), (false, None));
    // One whose number was longer.
    let own = format!("{}\n", std::process::id());
    fs::write(temp.path().join(LOCK), format!("{own}99\n")).unwrap();
    let _home = Home::claim(temp.path()).unwrap();
    assert_eq!(found(), (true, Some(std::process::id())));
    assert_eq!(fs::read_to_string(temp.path().join(LOCK)).unwrap(), own);
}

#[tokio::test(start_paused = true)]
async fn a_folder_that_is_taken_away_is_noticed() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("state");
    for put_another in [false, true] {
        let home = Home::claim(&path).unwrap();
        let mut lost = std::pin::pin!(home.lost());
        assert!(tokio::time::timeout(LOOK * 3, &mut lost).await.is_err());
        fs::remove_dir_all(&path).unwrap();
        let _other = put_another.then(|| Home::claim(&path).unwrap());
        assert_eq!(lost.await, Lost::Folder);
    }
}

#[tokio::test(start_paused = true)]
async fn a_database_that_is_taken_away_is_noticed() {
    let temp = tempfile::tempdir().unwrap();
    let parts = ["", "-wal", "-shm"];
    let cases = parts.into_iter().flat_map(|part| [(part, false), (part, true)]);
    for (part, put_another) in cases {
        let home = Home::claim(temp.path()).unwrap();
        for part in parts.into_iter().chain(["-another"]) {
            fs::write(temp.path().join(format!("{DATABASE}{part}")), "").unwrap();
        }
        let taken = temp.path().join(format!("{DATABASE}{part}"));
        let another = temp.path().join(format!("{DATABASE}-another"));
        let _listener = home.listen().unwrap();
        let mut lost = std::pin::pin!(home.lost());
        assert!(tokio::time::timeout(LOOK * 3, &mut lost).await.is_err());
        match put_another {
            false => fs::remove_file(&taken).unwrap(),
            true => fs::rename(&another, &taken).unwrap(),
        }
        assert_eq!(lost.await, Lost::Database);
    }
}

#[tokio::test(start_paused = true)]
async fn a_log_that_is_cut_is_noticed() {
    for left in [0, 5_000] {
        let temp = tempfile::tempdir().unwrap();
        let home = Home::claim(temp.path()).unwrap();
        let store = Store::open(&home.database(), UnixMs(0)).unwrap().store;
        home.keep(store.log());
        let write = |sql: &str| store.connection().execute_batch(sql).unwrap();
        let cut = |left| File::options().write(true).open(store.log_path())?.set_len(left);
        let _listener = home.listen().unwrap();
        let mut lost = std::pin::pin!(home.lost());
        // What is in the database by now is nobody's loss.
        store.checkpoint().unwrap();
        cut(0).unwrap();
        assert!(tokio::time::timeout(LOOK * 3, &mut lost).await.is_err());
        write("CREATE TABLE t (x); CREATE TABLE u (x)");
        assert!(tokio::time::timeout(LOOK * 3, &mut lost).await.is_err());
        cut(left).unwrap();
        assert_eq!(lost.await, Lost::Log, "{left}");
    }
}

/// Somebody has written the database anew, with others than ours.
#[tokio::test(start_paused = true)]
async fn a_log_of_short_pages_is_none_that_was_cut() {
    let temp = tempfile::tempdir().unwrap();
    let home = Home::claim(temp.path()).unwrap();
    let open = || Store::open(&home.database(), UnixMs(0)).unwrap().store;
    open().close();
    let database = rusqlite::Connection::open(home.database()).unwrap();
    database.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(())).unwrap();
    database.execute_batch("PRAGMA page_size = 1024; VACUUM").unwrap();
    drop(database);
    let store = open();
    home.keep(store.log());
    store.connection().execute_batch("CREATE TABLE t (x); CREATE TABLE u (x)").unwrap();
    let _listener = home.listen().unwrap();
    assert!(tokio::time::timeout(LOOK * 3, home.lost()).await.is_err());
}

#[test]
fn a_second_hub_is_told_who_has_the_folder() {
    let temp = tempfile::tempdir().unwrap();
    let first = Home::claim(temp.path()).unwrap();
    match Home::claim(temp.path()) {
        Err(HomeError::Locked { pid }) => assert_eq!(pid, Some(std::process::id())),
        other => panic!("{other:?}"),
    }
    drop(first);
    assert!(Home::claim(temp.path()).is_ok());
}

#[test]
fn a_folder_that_waits_for_the_next_hub_of_its_process_is_taken_by_nobody() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("home");
    let held = Home::claim(&path).unwrap().held();
    let is_taken = || matches!(Home::claim(&path), Err(HomeError::Locked { .. }));
    assert!(held.is_there() && is_taken());
    // Nor where one of its hubs could not start, or while one runs.
    drop(held.home().unwrap());
    assert!(is_taken());
    let home = held.home().unwrap();
    drop(held);
    assert!(is_taken());
    let held = home.held();
    fs::remove_dir_all(&path).unwrap();
    assert!(!held.is_there() && held.home().is_err());
    assert!(!path.exists(), "it is not made anew");
    let _other = Home::claim(&path).unwrap();
    assert!(!held.is_there());
}

#[test]
fn whoever_only_asks_keeps_no_hub_from_its_start() {
    let temp = tempfile::tempdir().unwrap();
    drop(Home::claim(temp.path()).unwrap());
    let asks = File::open(temp.path().join(LOCK)).unwrap();
    rustix::fs::flock(&asks, FlockOperation::NonBlockingLockShared).unwrap();
    assert!(!is_held(temp.path()));
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| tell.send(Home::claim(temp.path())).unwrap());
        let while_asked = told.recv_timeout(A_QUESTION * 25);
        assert!(while_asked.is_err(), "it is no hub: {while_asked:?}");
        drop(asks);
        assert!(told.recv().unwrap().is_ok());
    });
    assert!(!is_held(temp.path()), "and a question leaves nothing behind");
}

#[test]
fn a_dead_hubs_socket_is_replaced_and_anything_else_is_not() {
    let temp = tempfile::tempdir().unwrap();
    let home = Home::claim(temp.path()).unwrap();
    drop(home.listen().unwrap());
    assert!(home.socket().exists());
    let listener = home.listen().unwrap();
    assert!(UnixStream::connect(home.socket()).is_ok());
    drop(listener);
    fs::remove_file(home.socket()).unwrap();
    let target = temp.path().join("precious");
    fs::write(&target, "x").unwrap();
    symlink(&target, home.socket()).unwrap();
    assert!(matches!(home.listen(), Err(HomeError::InTheWay { .. })));
    assert!(target.exists());
}

#[test]
fn a_lock_that_is_no_file_is_told_as_such() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home");
    drop(Home::claim(&home).unwrap());
    fs::remove_file(home.join(LOCK)).unwrap();
    symlink("/nowhere/lock", home.join(LOCK)).unwrap();
    let refused = Home::claim(&home).unwrap_err().to_string();
    assert!(refused.contains("headsup.lock is in the way and is not a regular file"), "{refused}");
}

#[test]
fn a_path_that_fits_no_address_still_gets_its_socket() {
    let temp = tempfile::tempdir().unwrap();
    let home = Home::claim(&temp.path().join("x".repeat(120))).unwrap();
    let listener = home.listen().unwrap();
    assert!(home.socket().exists());
    let through = format!("/proc/self/fd/{}/{SOCKET}", home.folder.as_raw_fd());
    listener.set_nonblocking(false).unwrap();
    let client = std::thread::spawn(move || UnixStream::connect(through).map(drop));
    assert!(listener.accept().is_ok());
    client.join().unwrap().unwrap();
}
