//! Which recordings make which session, and what is said in them instead.

/// One session of the demonstration.
pub(super) struct Script {
    pub(super) id: &'static str,
    pub(super) folder: &'static str,
    pub(super) about: &'static str,
    pub(super) starts_at_ms: u64,
    pub(super) acts: &'static [Act],
}

/// One recording in it. `words` are pairs: as recorded, as told.
pub(super) struct Act {
    pub(super) timeline: &'static str,
    pub(super) words: &'static [(&'static str, &'static str)],
}

macro_rules! recorded {
    ($case:literal) => {
        include_str!(concat!("../../fixtures/claude-code/2.1.330/", $case, "/timeline.jsonl"))
    };
}

pub(super) const SCRIPTS: &[Script] = &[
    Script {
        id: "demo-api",
        folder: "/home/dev/api",
        about: "asks for a permission, gets it, and goes on with its tools",
        starts_at_ms: 0,
        acts: &[
            Act {
                timeline: recorded!("permission_approved"),
                words: &[
                    ("mock:bash_ask go", "Add the marker file that the deploy script waits for"),
                    ("asked.txt", "deploy.ready"),
                    ("Create a file", "Create the marker file"),
                    ("Finished after the permission.", "The marker file is in place."),
                ],
            },
            Act {
                timeline: recorded!("tool_turn"),
                words: &[
                    ("mock:bash go", "Do the tests still pass?"),
                    ("mock:parallel go", "Check the README against the version we print"),
                    ("mock:read_missing go", "Is there a changelog?"),
                    ("echo mock-ok", "cargo test --quiet"),
                    ("The command printed mock-ok.", "All 42 tests pass."),
                    ("mock-ok", "42 passed"),
                    ("Print a word", "Run the tests"),
                    ("echo two", "cargo run -- --version"),
                    ("Both done.", "The README says 1.2, the program says 1.3."),
                    ("no-such-file", "CHANGELOG.md"),
                    ("The file is missing.", "There is none yet."),
                ],
            },
        ],
    },
    Script {
        id: "demo-web",
        folder: "/home/dev/web",
        about: "asks a question, and then another that waits",
        starts_at_ms: 900,
        acts: &[Act {
            timeline: recorded!("question"),
            words: &[
                ("mock:question one", "Give the button on the start page a colour"),
                ("mock:question two", "And the one on the sign-up page"),
                ("Which colour?", "Which colour shall the button have?"),
                ("the red one", "the colour of the warnings"),
                ("the blue one", "the colour of the logo"),
                ("Thanks for the answer.", "The button is red now."),
            ],
        }],
    },
    Script {
        id: "demo-docs",
        folder: "/home/dev/docs",
        about: "has a helper in the background, which asks for a permission of its own",
        starts_at_ms: 1_700,
        acts: &[Act {
            timeline: recorded!("subagent_permission"),
            words: &[
                ("mock:subagent_bg go", "Have a helper check the links while I write"),
                ("mock:bash_slow:secs=3 please sleep", "Check every link in the guide"),
                ("python3 -c 'import time; time.sleep(3)'", "npx linkcheck guide/"),
                ("Background helper", "Check the links"),
                ("Started a background helper.", "The helper checks the links."),
                ("\"Sleep\"", "\"Check the links of the guide\""),
                ("Slept.", "All 118 links work."),
            ],
        }],
    },
    Script {
        id: "demo-payments",
        folder: "/home/dev/payments",
        about: "runs into the provider's errors and is back in the end",
        starts_at_ms: 2_600,
        acts: &[Act {
            timeline: recorded!("api_errors"),
            words: &[
                ("mock:err529 go", "Why is the nightly settlement slow?"),
                ("mock:err429 go", "Try again"),
                ("mock:err401 go", "Once more"),
                ("mock:err400 go", "Go on"),
                ("mock:text go", "Start from the query plan"),
                ("mock rate limit", "rate limit reached"),
                ("mock bad request", "bad request"),
                ("Hello from the mock model.", "The index on settled_at is missing."),
            ],
        }],
    },
    Script {
        id: "demo-infra",
        folder: "/home/dev/infra",
        about: "leaves a command in the background and is woken by its end",
        starts_at_ms: 3_300,
        acts: &[
            Act {
                timeline: recorded!("background_shell"),
                words: &[
                    ("mock:bash_bg go", "Build the image in the background"),
                    ("sleep 4; echo bg-done", "docker build -t infra ."),
                    ("Background job", "Build the image"),
                    ("Started a background job.", "The image is building."),
                ],
            },
            Act {
                timeline: recorded!("plain_turn"),
                words: &[
                    ("mock:pause hello", "Is the image smaller than last week's?"),
                    ("Done after a pause.", "Yes, by 60 MB."),
                ],
            },
        ],
    },
    Script {
        id: "demo-mobile",
        folder: "/home/dev/mobile",
        about: "keeps a list of what is to be done, and sends a helper",
        starts_at_ms: 4_200,
        acts: &[
            Act {
                timeline: recorded!("todo"),
                words: &[
                    ("mock:todo go", "Plan the dark mode"),
                    ("First task", "Colours of the settings page"),
                    ("Do the first thing", "Move the colours into the theme"),
                    ("Tasks done.", "The settings page follows the theme."),
                ],
            },
            Act {
                timeline: recorded!("subagent"),
                words: &[
                    ("mock:subagent go", "Have a helper look for colours that are left"),
                    ("mock:bash please run the helper command", "Find colours outside the theme"),
                    ("Helper run", "Find colours"),
                    ("echo mock-ok", "grep -rn '#[0-9a-f]' src"),
                    ("The command printed mock-ok.", "Three files still name a colour."),
                    ("mock-ok", "src/login.css"),
                    ("Print a word", "Look for colours"),
                    ("The helper finished.", "Three files are left."),
                ],
            },
        ],
    },
];
