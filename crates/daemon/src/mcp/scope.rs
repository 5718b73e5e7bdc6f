//! Which agent the calls are about.

use headsup_core::id::AgentId;

/// The variables that name the agent, in the order in which they are believed.
const VARIABLES: [&str; 3] = ["HEADSUP_AGENT_ID", "BOB_SESSION_ID", "PANOPTICON_AGENT_ID"];

/// The agent that a server speaks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Agent(AgentId),
    /// Nobody has said; what is missing, for whoever calls a tool.
    Missing(String),
}

impl Scope {
    /// As a process's environment says. An empty variable counts as unset.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &&str| var(name).filter(|value| !value.is_empty());
        let named = VARIABLES.iter().find_map(|name| Some((name, set(name)?)));
        match named.map(|(name, id)| (name, AgentId::new(&*id))) {
            Some((_, Ok(id))) => Self::Agent(id),
            Some((name, Err(error))) => Self::Missing(format!("{name} is no agent id: {error}")),
            None => {
                let [own, others @ ..] = VARIABLES;
                let others = others.join(" or ");
                Self::Missing(format!(
                    "{own} is not set, so it is not known which agent this is; start the agent with \
                     `headsup run`, or set {own} (also read: {others}) for this server"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(vars: &[(&str, &str)]) -> Scope {
        let find = |name: &str| vars.iter().find(|(of, _)| *of == name);
        Scope::from_env(|name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    fn agent(id: &str) -> Scope {
        Scope::Agent(AgentId::new(id).unwrap())
    }

    #[test]
    fn the_agent_is_named_by_the_first_variable_that_is_set() {
        let (own, bob, panopticon) =
            (("HEADSUP_AGENT_ID", "a"), ("BOB_SESSION_ID", "b"), ("PANOPTICON_AGENT_ID", "c"));
        assert_eq!(scope(&[panopticon, bob, own]), agent("a"));
        assert_eq!(scope(&[panopticon, bob]), agent("b"));
        assert_eq!(scope(&[panopticon]), agent("c"));
        assert_eq!(scope(&[("HEADSUP_AGENT_ID", ""), bob]), agent("b"), "empty is unset");
    }

    #[test]
    fn without_one_it_is_said_which_variable_is_missing() {
        let Scope::Missing(why) = scope(&[]) else { panic!("nobody is named") };
        assert!(why.starts_with("HEADSUP_AGENT_ID is not set"), "{why}");
        let Scope::Missing(why) = scope(&[("BOB_SESSION_ID", "a/b")]) else { panic!("no id") };
        assert!(why.starts_with("BOB_SESSION_ID is no agent id"), "{why}");
    }
}
