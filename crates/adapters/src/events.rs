//! The closed lists of the events that programs have hooks for.

/// Declares such a list, and how to read a name.
macro_rules! events {
    ($(#[$meta:meta])* $($name:ident),* $(,)?) => {
        $(#[$meta])*
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

pub(crate) use events;
