//! `headsup capture`: where the bundle goes.

use crate::hub::Reply;
use crate::rig::{AT, Rig, agent, answer, run};
use serde_json::json;

#[test]
fn a_dash_for_the_file_is_standard_output() {
    let rig = Rig::new();
    let agents = [agent("api", "idle")];
    let _hub = rig.hub(move |request| match request.path.contains("/evidence?") {
        true => Reply::Json(
            200,
            json!({
                "schema": 1, "version": "0", "kind": "custom", "captured_at": AT, "since": null,
                "kept": {}, "dropped": 0, "replaced": 0, "text": false,
                "rows": [{"t_ms": 0, "kind": "told"}],
            }),
        ),
        false => answer(&agents, request),
    });
    let folder = rig.socket().parent().unwrap().to_owned();
    let plain = rig.run(&["capture", "api"]);
    assert!(plain.ok().starts_with("{\"headsup_capture\":1,"), "{plain:?}");
    for args in [&["capture", "api", "-o", "-"][..], &["capture", "api", "--output=-", "--json"]] {
        let seen = run(rig.command(args).current_dir(&folder));
        assert_eq!(seen.ok(), plain.stdout, "{args:?}");
        assert!(!folder.join("-").exists(), "{args:?}");
    }
    // A file of that name can still be had.
    let seen = run(rig.command(&["capture", "api", "-o", "./-"]).current_dir(&folder));
    assert_eq!(seen.ok(), "");
    assert_eq!(std::fs::read_to_string(folder.join("-")).unwrap(), plain.stdout);
}
