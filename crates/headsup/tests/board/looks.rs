//! Light and dark, wide and narrow, moving or not; and pictures of it.

mod scene;

use crate::rig::Board;
use serde_json::json;

/// For every status its contrast with what is behind it.
const CONTRASTS: &str = "
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const light = (colour) => {
      canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (e) => { while (getComputedStyle(e).backgroundColor === 'rgba(0, 0, 0, 0)') e = e.parentElement; return getComputedStyle(e).backgroundColor; };
    const texts = document.querySelectorAll('.status, .name, .kind, .path, .age, .brief, .mark, .asked span, #summary li, h2, .option, .quiet, .times, .whose *, .how, .over .title, .nav');
    return [...texts].map((e) => {
      const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
      return [e.className || e.tagName, (a + 0.05) / (b + 0.05)];
    }).filter(([, contrast]) => contrast < 4.5)";

#[test]
fn it_is_readable_in_light_and_dark() {
    let Some(board) = Board::start() else { return };
    scene::busy(&board);
    scene::questions(&board);
    let mut grounds = Vec::new();
    for (path, scheme) in [("/", "light"), ("/", "dark"), ("/inbox", "light"), ("/inbox", "dark")] {
        board.open(path);
        board.live();
        let still = ("prefers-reduced-motion", "reduce");
        board.browser.prefer(&[("prefers-color-scheme", scheme), still]);
        grounds.push(board.browser.text("return getComputedStyle(document.body).backgroundColor"));
        assert_eq!(board.browser.js(CONTRASTS), json!([]), "{path} {scheme}");
    }
    assert_ne!(grounds[0], grounds[1]);
    board.is_clean();
}

#[test]
fn it_fits_narrow_and_wide_windows() {
    let Some(board) = Board::start() else { return };
    scene::busy(&board);
    board.report("long", json!({"turn": "blocked", "detail": "x".repeat(250)}));
    board.describe(
        "PATCH",
        "long",
        &json!({"name": "n".repeat(90), "cwd": format!("/{}", "d".repeat(200))}),
    );
    board.shows("long", "blocked");
    scene::questions(&board);
    for path in ["/", "/inbox", "/agents/api", "/agents/long"] {
        board.open(path);
        board.live();
        for width in [360, 390, 768, 1280, 2200] {
            board.browser.size(width, 900);
            let overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(board.browser.js(overflow), 0, "{path} at {width}");
        }
    }
    board.is_clean();
}

#[test]
fn a_long_question_leaves_room_for_the_others() {
    let Some(board) = Board::start() else { return };
    let question = "which branch shall it be? ".repeat(150);
    board.report("api", json!({"turn": "blocked", "reason": "question", "detail": question}));
    board.shows("api", "blocked");
    for width in [390, 1280] {
        board.browser.size(width, 900);
        let height = "return document.getElementById('a-api').getBoundingClientRect().height";
        let height = board.browser.js(height).as_f64().unwrap();
        assert!(height < 300.0, "{height} at {width}");
    }
    // All of it is on the agent's own page.
    board.open("/agents/api");
    board.live();
    let cut = "const asked = document.querySelector('#prompts .asked');
         return asked.scrollHeight - asked.clientHeight";
    assert_eq!(board.browser.js(cut), 0);
}

#[test]
fn nothing_moves_for_who_does_not_want_it() {
    let Some(board) = Board::start() else { return };
    let name = "return getComputedStyle(document.getElementById('a-api')).animationName";
    for (motion, turn, animation) in
        [("no-preference", "working", "changed"), ("reduce", "blocked", "none")]
    {
        board.browser.prefer(&[("prefers-reduced-motion", motion)]);
        board.report("api", json!({"turn": turn}));
        board.shows("api", turn);
        assert_eq!(board.browser.text(name), animation, "{motion}");
    }
}

#[test]
fn pictures_of_every_state_can_be_taken() {
    let Some(board) = Board::start() else { return };
    let own = board.home.path().join("pictures");
    std::fs::create_dir(&own).unwrap();
    let folder = std::env::var_os("HEADSUP_PICTURES").map_or(own, Into::into);
    scene::pictures(&board, &folder);
    let taken = std::fs::read_dir(&folder).unwrap().map(|file| std::fs::read(file.unwrap().path()));
    let taken: Vec<Vec<u8>> = taken.map(Result::unwrap).collect();
    assert!(taken.iter().filter(|picture| picture.starts_with(b"\x89PNG")).count() >= 6);
}
