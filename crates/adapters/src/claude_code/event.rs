//! The names of the hook events.

macro_rules! events {
    ($($name:ident),* $(,)?) => {
        /// The 33 events that Claude Code 2.1.330 knows (the list is the program's own).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Event {
            $($name,)*
        }

        impl Event {
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            pub(crate) fn parse(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

events! {
    SessionStart,
    SessionEnd,
    UserPromptSubmit,
    UserPromptExpansion,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    PostToolBatch,
    PermissionRequest,
    PermissionDenied,
    Elicitation,
    ElicitationResult,
    Notification,
    Stop,
    StopFailure,
    SubagentStart,
    SubagentStop,
    PreCompact,
    PostCompact,
    PreModelSwitch,
    PostModelSwitch,
    TaskCreated,
    TaskCompleted,
    TeammateIdle,
    MessageDisplay,
    ConfigChange,
    CwdChanged,
    FileChanged,
    DirectoryAdded,
    InstructionsLoaded,
    Setup,
    WorktreeCreate,
    WorktreeRemove,
}
