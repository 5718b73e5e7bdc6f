//! Which container a process is in, as its control groups name it.

/// So much of an id is shown by the engines, and is enough for them to find it again.
const SHORT: usize = 12;
/// Hexadecimal digits of a whole id.
const WHOLE: usize = 64;
/// What an engine runs outside, to look after a container.
const MINDERS: [&str; 2] = ["libpod-conmon-", "crio-conmon-"];

/// The short id of the innermost container that `/proc/PID/cgroup` names, in either version of
/// control groups: `/docker/ID`, `docker-ID.scope`, `libpod-ID.scope/container`,
/// `kubepods…/cri-containerd-ID.scope`, `…slice:cri-containerd:ID` (Docker 27, Podman 5, containerd
/// 2 and CRI-O 1.31, with systemd's and their own drivers).
pub(crate) fn container(groups: &str) -> Option<String> {
    let mut paths = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    paths.find_map(|path| path.rsplit('/').find_map(id))
}

fn id(part: &str) -> Option<String> {
    if MINDERS.iter().any(|minder| part.starts_with(minder)) {
        return None;
    }
    let part = part.strip_suffix(".scope").unwrap_or(part);
    let last = part.rsplit(['-', ':']).next().unwrap_or(part);
    (last.len() == WHOLE).then(|| short(last)).flatten()
}

/// The short form of what may be a container's id: engines also make it the name of its host.
pub(crate) fn short(text: &str) -> Option<String> {
    let is_hex = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let fits = is_hex && (text.len() == SHORT || text.len() == WHOLE);
    fits.then(|| text[..SHORT].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_found_in_the_paths_of_every_engine() {
        let id = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";
        let pod = "kubepods-besteffort-pod1a2b3c4d_0000_1111_2222_333344445555";
        let paths = [
            format!("0::/system.slice/docker-{id}.scope\n"),
            format!("0::/docker/{id}\n"),
            format!("12:pids:/docker/{id}\n4:memory:/docker/{id}\n0::/\n"),
            format!("0::/docker/{id}/system.slice/agent.service\n"),
            format!(
                "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-{id}.scope/container\n"
            ),
            format!("0::/machine.slice/libpod-{id}.scope\n"),
            format!("3:cpu,cpuacct:/libpod_parent/libpod-{id}\n"),
            format!("0::/kubepods.slice/{pod}.slice/cri-containerd-{id}.scope\n"),
            format!("0::/kubepods/besteffort/pod1a2b3c4d-0000-1111-2222-333344445555/{id}\n"),
            format!("0::/system.slice/containerd.service/{pod}.slice:cri-containerd:{id}\n"),
            format!("0::/kubepods.slice/{pod}.slice/crio-{id}.scope\n"),
            format!("4:memory:/ecs/11112222333344445555666677778888/{id}\n"),
            // The inner one of two.
            format!("0::/docker/{}/docker/{id}\n", "f".repeat(64)),
        ];
        for groups in paths {
            assert_eq!(container(&groups).as_deref(), Some("0a1b2c3d4e5f"), "{groups}");
        }
    }

    #[test]
    fn a_process_outside_is_in_none() {
        let id = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";
        for groups in [
            String::new(),
            "0::/\n".to_owned(),
            "no lines".to_owned(),
            "0::/user.slice/user-1000.slice/session-3.scope\n".to_owned(),
            "4:memory:/process_api/6ee3c9dd26d5688f42a2d5169755d8db\n".to_owned(),
            format!("0::/user.slice/libpod-conmon-{id}.scope\n"),
            format!("0::/docker/{}\n", id.to_uppercase()),
        ] {
            assert_eq!(container(&groups), None, "{groups}");
        }
    }

    #[test]
    fn the_name_of_a_containers_host_is_its_id() {
        assert_eq!(short("0a1b2c3d4e5f").as_deref(), Some("0a1b2c3d4e5f"));
        for other in ["", "laptop", "0a1b2c3d4e5", "0A1B2C3D4E5F", "é0a1b2c3d4e"] {
            assert_eq!(short(other), None, "{other}");
        }
    }
}
