//! What a program waits for with its first prompt, and nobody tells.

use super::Case;
use crate::live::programs::COPILOT_CLI;
use crate::live::stage::Stage;
use crate::live::truth::Class;
use crate::model::Asker;

pub(super) const CASES: &[Case] = &[Case::of(&COPILOT_CLI, "tool_servers", tool_servers)];

/// One that never answers, and is gone after a while.
const SLOW: &str =
    r#"{"mcpServers":{"slow":{"type":"local","command":"sleep","args":["15"],"tools":["*"]}}}"#;

/// Its title calls it ready from the beginning, while its first prompt waits for a tool server of its command line.
fn tool_servers(stage: &Stage) {
    stage.hub();
    let agent = stage.run_unready("api", &["--additional-mcp-config", SLOW]);
    let at = agent.submit("[[hold go]] [[text Hello.]]");
    agent.mark(at, "starting", Class::Unmeasured, "it waits for its tool servers");
    agent.rest();
    agent.rest();
    let request = stage.asked(&Asker::Main);
    let came = stage.came(request);
    agent.mark(came, "idle", Class::Unmeasured, "told with the first prompt");
    agent.mark(came, "working", Class::Unmeasured, "it asks the model");
    agent.rest();
    stage.model.release("go");
    agent.mark(stage.over(request), "done", Class::Hooked, "answer finished");
    agent.rest();
}
