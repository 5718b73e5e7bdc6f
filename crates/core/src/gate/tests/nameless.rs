//! A request that does not name its tool (G4).

use super::script::{Script, permission, tool, tool_end};
use crate::observation::Fact;
use crate::prompt::{Actor, ToolRef};
use crate::status::Headline;

fn nameless(input: u64) -> Fact {
    let mut request = permission(&Actor::Main, input);
    if let Fact::PromptOpened { prompt, .. } = &mut request
        && let Some(tool) = &mut prompt.tool
    {
        tool.name = ToolRef::UNNAMED.to_owned();
    }
    request
}

/// Two calls are open, and then this is asked.
fn asked(input: u64) -> Script {
    let mut script = Script::working();
    script.hook(tool(&Actor::Main, "c1", 7));
    script.hook(tool(&Actor::Main, "c2", 8));
    script.hook(nameless(input));
    assert_eq!(script.headline(), Headline::Blocked);
    script
}

#[test]
fn it_is_over_with_the_call_of_its_input_or_with_the_last_open_one_where_none_has_that() {
    for input in [7, 9] {
        let mut script = asked(input);
        script.hook(tool_end(&Actor::Main, "c2", 8));
        assert_eq!(script.headline(), Headline::Blocked, "{input}");
        script.hook(tool_end(&Actor::Main, "c1", 7));
        assert_eq!(script.headline(), Headline::Working, "{input}");
    }
}

#[test]
fn it_is_over_when_its_call_is_granted() {
    let mut script = Script::working();
    script.hook(nameless(7));
    assert_eq!(script.headline(), Headline::Blocked);
    let granted = |input| Fact::ToolGranted {
        actor: Actor::Main,
        tool: ToolRef { name: "Bash".into(), id: Some(format!("c{input}")), input: Some(input) },
        turn_ref: None,
    };
    script.hook(granted(8));
    assert_eq!(script.headline(), Headline::Blocked);
    script.hook(granted(7));
    assert_eq!(script.headline(), Headline::Working);
}
