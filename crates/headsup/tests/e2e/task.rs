//! Tasks, as people and scripts use them.

use crate::agent::{Agent, home};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use std::fs;

fn say(home: &Home, args: &[&str]) -> String {
    home.run(args).ok().stdout.trim().to_owned()
}

#[test]
fn a_task_goes_from_new_to_done_on_the_command_line() {
    let home = home();
    let _hub = Hub::start(&home);
    for part in ["objects", "refs"] {
        fs::create_dir_all(home.path().join("my-shop/.git").join(part)).unwrap();
    }
    fs::write(home.path().join("my-shop/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let mut new = home.command(["task", "new", "Log in with a passkey", "--body", "soon"]);
    let made = new.current_dir(home.path().join("my-shop")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&made.stdout), "MYSHOP-1\n");
    Agent::new(&home, "api").starts();
    home.run(["task", "link", "api", "myshop-1"]).ok();
    assert_eq!(home.run(["show", "api", "--json"]).ok().json()["task"], "MYSHOP-1");
    home.run(["task", "status", "MYSHOP-1", "in_progress"]).ok();
    home.run(["task", "comment", "api", "half of it"]).ok();
    home.run(["task", "comment", "MYSHOP-1", "go on"]).ok();
    assert_eq!(say(&home, &["task", "ls"]), "MYSHOP-1  in_progress  Log in with a passkey");
    home.run(["task", "complete", "api", "passkeys work"]).ok();
    let shown = say(&home, &["task", "show", "api"]);
    for part in ["MYSHOP-1", "done", "soon", "api, ", "half of it", "a person, ", "passkeys work"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(home.run(["show", "api", "--json"]).ok().json()["stage"]["state"], "completed");
    let tasks = home.run(["task", "ls", "--status", "done", "--json"]).ok().json();
    assert_eq!(tasks["tasks"][0]["identifier"], "MYSHOP-1");
    let none = home.run(["task", "ls", "--status", "todo"]);
    assert_eq!((none.stdout.as_str(), none.stderr.trim()), ("", "headsup: no task is todo"));
}

#[test]
fn what_is_wrong_with_a_task_is_said_with_the_exit_code_for_it() {
    let home = home();
    let _hub = Hub::start(&home);
    Agent::new(&home, "api").starts();
    for (args, code, word) in [
        (&["task", "show", "APP-1"][..], 4, "no task"),
        (&["task", "status", "APP-1", "done"], 4, "no task"),
        (&["task", "comment", "nobody", "x"], 4, "no task and no agent is called \"nobody\""),
        (&["task", "show", "12"], 4, "a task is APP-12, #12"),
        // As another system's tasks are listed.
        (&["task", "show", "kanbanger:KAN-1"], 7, "KANBANGER_API_KEY"),
        (&["task", "comment", "cards:KAN-1", "x"], 4, "there is no task \"cards:KAN-1\""),
        (&["task", "comment", "api", "x"], 7, "no task"),
        (&["task", "link", "api", "APP-1"], 4, "no task"),
        (&["task", "status", "APP-1", "closed"], 2, "in_review"),
        (&["task", "new", " "], 2, "visible"),
    ] {
        let done = home.run(args);
        assert_eq!(done.code, code, "{args:?}: {done:?}");
        assert!(done.stderr.contains(word), "{args:?}: {done:?}");
    }
    home.run(["task", "complete", "api", "all of it"]).ok();
    // Whose answer was lost says it again.
    let again = home.run(["task", "complete", "api", "all of it", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&again.ok().stdout).unwrap();
    assert_eq!(said["duplicate"], true, "{said}");
    assert_eq!(home.run(["stage", "api", "cancelled"]).code, 7, "it is over");
}

#[test]
fn the_settings_name_a_repositorys_tasks() {
    let home = home();
    let shop = home.path().join("shop");
    fs::create_dir_all(shop.join("deep")).unwrap();
    fs::create_dir_all(home.path().join(".config/headsup")).unwrap();
    let settings =
        format!("[[repository]]\npath = {:?}\nprefix = \"APP\"\n", shop.display().to_string());
    fs::write(home.path().join(".config/headsup/config.toml"), settings).unwrap();
    let _hub = Hub::start(&home);
    let mut new = home.command(["task", "new", "x"]);
    let made = new.current_dir(shop.join("deep")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&made.stdout), "APP-1\n");
}
