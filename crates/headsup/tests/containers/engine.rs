//! What an engine says of containers, of which the hub may see no process.

use crate::rig::{
    Agent, ID, SHORT, blind_hub, end, engine_socket, home, hub, may_contain, until, until_headline,
    witness,
};
use headsup_testkit::engine::Engine;
use headsup_testkit::home::Home;
use headsup_testkit::wait;
use serde_json::{Value, json};

/// An agent at work in a container that its engine knows, and a hub that sees nothing of it.
fn at_work(home: &Home) -> Agent {
    let mut agent = Agent::start(home, "s1", SHORT);
    agent.works();
    until_headline(home, "s1", "working");
    agent
}

fn until_heard(engine: &Engine) {
    wait::until("the hub to listen", || (engine.listeners(ID) == 1).then_some(()));
}

/// A round of an agent at work, a hub that does not see it, and an end that the engine tells.
fn ended(headline: &str, end: impl FnOnce(&Engine, &mut Agent)) -> Option<Value> {
    if !may_contain() {
        return None;
    }
    let home = home();
    let socket = engine_socket(&home);
    let engine = Engine::start(&socket);
    engine.runs(ID, 4_242);
    let hub = blind_hub(&home, &socket);
    assert!(engine.asked().is_empty(), "nobody is in a container");
    let mut agent = at_work(&home);
    until_heard(&engine);
    let seat = until_headline(&home, "s1", "working");
    assert_eq!(seat["location"], json!({"container": SHORT}), "no pid that means another here");
    end(&engine, &mut agent);
    let seat = until_headline(&home, "s1", headline);
    assert_eq!(witness(&home, &seat), "container");
    assert!(engine.asked().iter().all(|asked| asked.starts_with("GET ")), "{:?}", engine.asked());
    wait::until("the hub to listen no more", || {
        // An engine notices only when it says something.
        engine.tells(ID, "exec_die", &json!({}));
        (engine.listeners(ID) == 0).then_some(())
    });
    drop(hub);
    Some(seat)
}

#[test]
fn a_container_that_ends_with_a_code_is_a_crash_with_that_code() {
    let Some(seat) = ended("crashed", |engine, agent| {
        agent.leave(3);
        engine.ends(ID, 3, false);
    }) else {
        return;
    };
    assert_eq!(
        (&seat["process"]["kind"], &seat["process"]["code"]),
        (&json!("crashed"), &json!(3))
    );
    assert_eq!(seat["outcome"]["kind"], "aborted");
}

#[test]
fn a_container_that_was_killed_for_want_of_memory_says_so() {
    let Some(seat) = ended("crashed", |engine, agent| {
        agent.kill();
        engine.tells(ID, "oom", &json!({}));
        engine.ends(ID, 137, true);
    }) else {
        return;
    };
    assert_eq!(
        (&seat["process"]["kind"], &seat["process"]["code"]),
        (&json!("oom_killed"), &json!(137))
    );
}

#[test]
fn a_container_that_somebody_stopped_has_ended_and_not_crashed() {
    let Some(seat) = ended("ended", |engine, agent| {
        engine.tells(ID, "kill", &json!({"signal": "15"}));
        agent.kill();
        engine.stops(ID, 137);
    }) else {
        return;
    };
    assert_eq!(seat["process"]["kind"], "killed");
}

#[test]
fn a_container_that_was_removed_without_a_word_is_lost() {
    let Some(seat) = ended("crashed", |engine, agent| {
        agent.kill();
        engine.removes(ID);
        engine.tells(ID, "destroy", &json!({}));
    }) else {
        return;
    };
    assert_eq!(seat["process"]["kind"], "lost");
}

#[test]
fn a_paused_container_is_unknown_until_it_goes_on() {
    if !may_contain() {
        return;
    }
    let home = home();
    let socket = engine_socket(&home);
    let engine = Engine::start(&socket);
    engine.runs(ID, 4_242);
    let hub = hub(&home, &socket);
    let mut agent = at_work(&home);
    until_heard(&engine);
    engine.states(ID, &json!({"Paused": true, "Status": "paused"}));
    engine.tells(ID, "pause", &json!({}));
    let seat = until_headline(&home, "s1", "unknown");
    assert_eq!(
        (&seat["process"]["state"], witness(&home, &seat)),
        (&json!("unknown"), json!("container"))
    );
    engine.states(ID, &json!({"Paused": false, "Status": "running"}));
    // Also where the engine is started again meanwhile, and nobody hears it.
    engine.hangs_up();
    until_headline(&home, "s1", "working");
    until_heard(&engine);
    agent.fires("Stop", &json!({"stop_hook_active": false, "background_tasks": []}));
    until_headline(&home, "s1", "done");
    drop(hub);
}

/// Nobody stops, and no engine says a word: a process died, as any.
#[test]
fn an_agent_that_is_killed_in_a_container_that_lives_on_has_crashed() {
    if !may_contain() {
        return;
    }
    let home = home();
    let socket = engine_socket(&home);
    let engine = Engine::start(&socket);
    engine.runs(ID, 4_242);
    let hub = hub(&home, &socket);
    let mut agent = at_work(&home);
    until_heard(&engine);
    let before = std::time::Instant::now();
    agent.kill();
    let seat = until_headline(&home, "s1", "crashed");
    eprintln!("seen after {:?}", before.elapsed());
    assert_eq!(witness(&home, &seat), "process");
    wait::until("nobody to be listened for", || {
        engine.tells(ID, "exec_die", &json!({}));
        (engine.listeners(ID) == 0).then_some(())
    });
    drop(hub);
}

#[test]
fn the_doctor_names_the_engine_that_answers() {
    let home = home();
    let socket = engine_socket(&home);
    let _engine = Engine::start(&socket);
    let mut command = home.command(["doctor", "--json"]);
    command.env("DOCKER_HOST", format!("unix://{}", socket.display()));
    let done = home.feed(command, b"").json();
    let checks = done["checks"].as_array().unwrap();
    let row = checks.iter().find(|check| check["name"] == "containers").unwrap();
    let detail = row["detail"].as_str().unwrap();
    assert!(row["ok"] == true && detail.starts_with("Docker/27.3.1 (linux) at "), "{row}");
    home.run(["down"]).ok();
}

/// Both see it: the one knows at once, the other knows why.
#[test]
fn an_end_that_process_and_engine_tell_is_one_end_with_its_code() {
    if !may_contain() {
        return;
    }
    let home = home();
    let socket = engine_socket(&home);
    let engine = Engine::start(&socket);
    engine.runs(ID, 4_242);
    let hub = hub(&home, &socket);
    let mut agent = at_work(&home);
    until_heard(&engine);
    agent.leave(7);
    engine.ends(ID, 7, false);
    let seat = until(&home, "s1", "the code", |seat| seat["process"]["code"] == 7);
    assert_eq!(seat["headline"], "crashed");
    let id = seat["id"].as_str().unwrap();
    let log = home.run(["watch", id, "--since", "0", "--no-follow", "--json", "--no-start"]);
    let crashes = log.ok().stdout.lines().filter(|line| line.contains(r#""to":"crashed""#)).count();
    assert_eq!(crashes, 1, "{}", log.stdout);
    drop(hub);
}

#[test]
fn an_end_while_no_hub_was_there_is_told_with_its_code_by_the_next() {
    if !may_contain() {
        return;
    }
    let home = home();
    let socket = engine_socket(&home);
    let engine = Engine::start(&socket);
    engine.runs(ID, 4_242);
    let first = blind_hub(&home, &socket);
    let mut agent = at_work(&home);
    until_heard(&engine);
    end(first);
    agent.leave(5);
    engine.ends(ID, 5, false);
    let second = blind_hub(&home, &socket);
    let seat = until_headline(&home, "s1", "crashed");
    assert_eq!(seat["process"]["code"], 5);
    drop(second);
}
