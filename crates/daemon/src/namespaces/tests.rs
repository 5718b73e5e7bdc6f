use super::*;
use headsup_core::status::Attach;
use std::process::{Child, Command, Stdio};

/// The first process of a pid namespace of its own, and a child of it.
struct Inside {
    child: Child,
    first: u32,
    second: u32,
}

impl Inside {
    /// `None` where the machine does not let us make one.
    fn start() -> Option<Self> {
        let mut command = Command::new("unshare");
        command.args(["--pid", "--fork", "--kill-child", "sh", "-c", "cat; :"]);
        let child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        let mut inside = Self { child, first: 0, second: 0 };
        while std::time::Instant::now() < deadline {
            if inside.child.try_wait().unwrap().is_some() {
                eprintln!("SKIPPED: this machine allows no pid namespaces (unshare --pid)");
                return None;
            }
            let child_of = |parent: u32| children(parent).into_iter().next();
            if let Some(first) = child_of(inside.child.id())
                && let Some(second) = child_of(first)
                && inner_pid(second).is_some()
            {
                (inside.first, inside.second) = (first, second);
                return Some(inside);
            }
            std::thread::yield_now();
        }
        panic!("no process inside");
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn children(parent: u32) -> Vec<u32> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_ascii_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

fn said(pid: u32) -> ProcessId {
    let inode = fs::metadata(format!("/proc/{pid}/ns/pid")).unwrap().ino();
    let start_ticks = Stat::read(pid).unwrap().start_ticks;
    let inner = inner_pid(pid).unwrap();
    ProcessId { pid_namespace: Some(inode), ..ProcessId::new(inner, start_ticks) }
}

#[test]
fn a_process_in_another_namespace_is_found_among_ours() {
    let Some(inside) = Inside::start() else { return };
    for (host, inner) in [(inside.first, 1), (inside.second, 2)] {
        for peer in [Peer::Unseen, Peer::Remote, Peer::Process(inside.second)] {
            let namespaces = Namespaces::new();
            let mut process = said(host);
            assert_eq!(process.pid, inner);
            assert!(!process::is_alive(&process));
            assert_eq!(namespaces.settle(&mut process, peer), Container::Outside);
            assert_eq!(process.pid_here(), Some(host), "{peer:?}");
            assert!(process::is_alive(&process) && !has_joined(&process));
            // And it is itself, wherever it is looked at.
            assert_eq!(process, said(host));
        }
    }
}

/// Made without `--mount-proc`: there `/proc` is still ours. Or none is mounted.
#[test]
fn who_is_above_a_hook_that_cannot_read_it_is_looked_for() {
    let Some(inside) = Inside::start() else { return };
    let first = said(inside.first);
    let above = Ancestor { pid: 1, start: first.start_ticks, comm: "sh".to_owned() };
    let (namespaces, peer) = (Namespaces::new(), Peer::Process(inside.second));
    let another = Ancestor { start: first.start_ticks + 1, ..above.clone() };
    for (pidns, parents) in [(first.pid_namespace, vec![another]), (None, Vec::new())] {
        let attach = Some(Attach::Headless);
        let (prompted, asked) = (true, true);
        let mut context =
            HookContext { pidns, parents, attach, prompted, asked, ..HookContext::default() };
        namespaces.put_right(&mut context, peer);
        assert_eq!((context.pidns, context.parents), (first.pid_namespace, vec![above.clone()]));
        assert_eq!((context.attach, context.prompted, context.asked), (None, false, false));
    }
    // It has read its own, or nobody can look.
    let launcher = Ancestor { pid: 9, start: 1, comm: "claude".to_owned() };
    let parents = vec![launcher, above];
    let own = HookContext { pidns: first.pid_namespace, parents, ..HookContext::default() };
    for peer in [peer, Peer::Unseen, Peer::Remote] {
        let mut context = own.clone();
        namespaces.put_right(&mut context, peer);
        assert_eq!(context, own, "{peer:?}");
    }
    // We see no more than it does.
    let mut ours = HookContext::default();
    namespaces.put_right(&mut ours, Peer::Process(std::process::id()));
    assert_eq!(ours, HookContext::default());
}

#[test]
fn equal_pids_in_two_namespaces_are_two_processes() {
    let (Some(one), Some(two)) = (Inside::start(), Inside::start()) else { return };
    let namespaces = Namespaces::new();
    let (mut a, mut b) = (said(one.first), said(two.first));
    assert_eq!((a.pid, b.pid), (1, 1));
    assert_ne!(a, b);
    for process in [&mut a, &mut b] {
        namespaces.settle(process, Peer::Unseen);
    }
    assert_eq!((a.pid_here(), b.pid_here()), (Some(one.first), Some(two.first)));
    // One that was started at another time, as in another namespace, is nobody. Two of one moment have
    // the same ticks, so the difference is made here.
    let other = said(two.second);
    let mut mixed = ProcessId { start_ticks: other.start_ticks + 1, ..other };
    assert_eq!(namespaces.settle(&mut mixed, Peer::Unseen), Container::Unsaid);
    assert_eq!(mixed.pid_here(), None);
}

#[test]
fn whoever_joined_a_namespace_is_not_below_its_first_process() {
    let Some(inside) = Inside::start() else { return };
    let target = inside.first.to_string();
    let mut command = Command::new("nsenter");
    command.args(["--target", &target, "--pid", "cat"]).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let joined = loop {
        assert!(child.try_wait().unwrap().is_none());
        if let Some(pid) = children(child.id()).first().filter(|pid| inner_pid(**pid).is_some()) {
            break *pid;
        }
        std::thread::yield_now();
    };
    let mut process = said(joined);
    Namespaces::new().settle(&mut process, Peer::Unseen);
    assert!(process.pid_here() == Some(joined) && has_joined(&process));
    drop(child.stdin.take());
    child.wait().unwrap();
    assert!(!has_joined(&process), "of one that is gone nobody can tell");
}

#[test]
fn whoever_died_unseen_or_has_left_its_pid_to_another_did_not_join() {
    let Some(mut inside) = Inside::start() else { return };
    let mut process = said(inside.second);
    Namespaces::new().settle(&mut process, Peer::Unseen);
    let earlier = ProcessId { start_ticks: process.start_ticks - 1, ..process.clone() };
    // Both may have begun within one tick of the clock.
    let own = std::process::id();
    let start_ticks = Stat::read(own).unwrap().start_ticks - 1;
    let others = ProcessId { host_pid: NonZeroU32::new(own), start_ticks, ..process.clone() };
    inside.child.kill().unwrap();
    inside.child.wait().unwrap();
    while process::is_alive(&process) {
        std::thread::yield_now();
    }
    for process in [process, earlier, others] {
        assert!(!has_joined(&process), "{process:?}");
    }
}

#[test]
fn our_own_namespace_is_no_other_one() {
    let namespaces = Namespaces::new();
    let pid = std::process::id();
    let start_ticks = Stat::read(pid).unwrap().start_ticks;
    let own = ProcessId::new(pid, start_ticks);
    let mut here = ProcessId { pid_namespace: namespaces.own, ..own.clone() };
    assert_eq!(namespaces.settle(&mut here, Peer::Remote), Container::Outside);
    assert_eq!(here, own);
    // Another machine's process may say the same of itself.
    let elsewhere =
        ProcessId { start_ticks: start_ticks + 1, pid_namespace: namespaces.own, ..own };
    let mut said = elsewhere.clone();
    assert_eq!(namespaces.settle(&mut said, Peer::Remote), Container::Unsaid);
    assert_eq!((said.pid_here(), &said), (None, &elsewhere));
    let mut said = elsewhere.clone();
    namespaces.settle(&mut said, Peer::Unseen);
    assert_eq!(said.pid_namespace, None);
}

#[test]
fn a_caller_that_was_seen_in_ours_a_moment_ago_is_not_looked_at_again() {
    let Some(inside) = Inside::start() else { return };
    let namespaces = Namespaces::new();
    let is_put_right = |seen: Option<(u32, Instant)>| {
        *namespaces.neighbour.lock().unwrap() = seen;
        let mut context = HookContext::default();
        namespaces.put_right(&mut context, Peer::Process(inside.second));
        context.pidns.is_some()
    };
    let now = Instant::now();
    assert!(is_put_right(None));
    assert!(!is_put_right(Some((inside.second, now))));
    assert!(is_put_right(Some((std::process::id(), now))), "it was another one");
    assert!(is_put_right(now.checked_sub(SEEN_FOR).map(|at| (inside.second, at))));
    let known = || namespaces.neighbour.lock().unwrap().map(|(pid, _)| pid);
    assert_eq!(known(), None, "nobody of another one is a neighbour");
    let own = std::process::id();
    namespaces.put_right(&mut HookContext::default(), Peer::Process(own));
    assert_eq!(known(), Some(own));
}
