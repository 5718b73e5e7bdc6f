use super::*;
use std::process::Command;

const CHILD: &str = "HEADSUP_TEST_ENDS_ITSELF";

#[test]
fn a_process_ends_with_success_when_its_time_is_over() {
    if std::env::var_os(CHILD).is_some() {
        println!("it waits");
        let time = Box::leak(Box::new([0; 2]));
        end_at(now(MONOTONIC).unwrap() + 50_000_000, time);
        loop {
            std::thread::park();
        }
    }
    let name = "system::tests::a_process_ends_with_success_when_its_time_is_over";
    let mut child = Command::new(std::env::current_exe().unwrap());
    let ended = child.args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    let said = String::from_utf8(ended.stdout).unwrap();
    assert!(said.contains("it waits") && !said.contains("test result"), "{said}");
}

#[test]
fn a_file_of_ours_is_known_again_and_a_link_to_it_is_another() {
    let folder = std::env::temp_dir().join(format!("headsup-front-{}", own_pid()));
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink("file", folder.join("link")).unwrap();
    let path = format!("{}\0", folder.display());
    let open = open_folder(path.as_bytes()).unwrap();
    assert_eq!(open.status().unwrap().owner, own_user().unwrap());

    let file = open.open_to_append(b"file\0").unwrap();
    assert_eq!(file.write(b"abc"), 3);
    assert_eq!((file.status().unwrap().size, file.position()), (3, Some(3)));
    assert!(file.lock(Lock::Shared) && file.lock(Lock::Exclusive));
    let other = open.open_to_append(b"file\0").unwrap();
    assert!(!other.lock(Lock::Shared));
    file.cut(1);
    let named = open.status_of(b"file\0").unwrap();
    assert!(named.is_same(&file.status().unwrap()) && named.size == 1);
    assert!(!open.status_of(b"link\0").unwrap().is_same(&named));
    assert!(open.open_to_append(b"link\0").is_none());
    for fd in [file, other, open] {
        fd.close();
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn nobody_but_our_own_user_is_a_hub() {
    let path = std::env::temp_dir().join(format!("headsup-front-{}.sock", own_pid()));
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let address = Address::new(path.as_os_str().as_encoded_bytes()).unwrap();
    let socket = connect(&address).unwrap();
    let (own, peer) = (own_user(), socket.peers_user());
    socket.close();
    drop(listener);
    std::fs::remove_file(path).unwrap();
    assert!(is_by(peer, own), "{peer:?} {own:?}");
    assert!(!is_by(peer.map(|user| user + 1), own));
    assert!(!is_by(None, own) && !is_by(None, None));
}
