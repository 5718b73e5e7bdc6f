//! The options of a hub on TCP, and how its page's address is shown.

use crate::config::Config;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use headsup_daemon::{Listen, listener};
use std::net::SocketAddr;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ListenArgs {
    /// Listen on TCP as well, and print a link to the page that works once. Port 0 lets the system
    /// choose one; where the hub listens on that address already, it keeps its port.
    #[arg(long, value_name = "ADDR", num_args = 0..=1, value_parser = listener::parse)]
    #[expect(clippy::option_option, reason = "absent, without and with an address")]
    listen: Option<Option<SocketAddr>>,
    /// Let browsers know the hub by this name too, as behind a proxy; repeat it for more.
    #[arg(long, value_name = "NAME", value_parser = listener::host_name)]
    allow_host: Vec<String>,
    /// Listen where other machines can reach it, without TLS.
    #[arg(long, requires = "listen")]
    insecure_listen: bool,
    /// Do not listen on TCP any more.
    #[arg(long, conflicts_with_all = ["listen", "allow_host"])]
    no_listen: bool,
}

impl ListenArgs {
    /// What is asked for, if anything is.
    pub(crate) fn read(&self) -> Result<Option<Listen>, CommandError> {
        if self.listen.is_none() && self.allow_host.is_empty() {
            return Ok(None);
        }
        let (address, insecure) = (self.listen.flatten(), self.insecure_listen);
        if let Some(address) = address.filter(|_| !insecure) {
            check_local(address)?;
        }
        let names = (!self.allow_host.is_empty()).then(|| self.allow_host.clone());
        Ok(Some(Listen { address, insecure, allow_hosts: names }))
    }

    /// Whether only names are given, for wherever it listens already.
    pub(crate) fn is_names_alone(&self) -> bool {
        self.listen.is_none() && !self.allow_host.is_empty()
    }

    /// Whether TCP is to be left.
    pub(crate) fn is_off(&self) -> bool {
        self.no_listen
    }
}

/// A name is for a hub on TCP, and does not bring it there.
pub(crate) fn not_on_tcp() -> CommandError {
    CommandError::new(Kind::Refused, "the hub is not on TCP, where a name would be of use")
        .code("not_listening")
        .hint("have it listen as well: `headsup up --listen --allow-host NAME`")
}

/// What the settings ask for, if they do.
pub(crate) fn settled(config: &Config) -> Result<Option<Listen>, CommandError> {
    let wrong =
        |why: &str| CommandError::usage(format!("in the settings: {why}")).code("bad_config");
    let Some(address) = &config.listen else {
        return match config.allowed_hosts.is_empty() {
            true => Ok(None),
            false => Err(wrong("allowed_hosts goes with listen, as listen = \"127.0.0.1:7717\"")),
        };
    };
    let address = listener::parse(address).map_err(|error| wrong(&error.to_string()))?;
    if !listener::is_local(address) {
        let hint = "write listen = \"127.0.0.1:7717\" there, and put a TLS proxy before it, with allowed_hosts";
        return Err(not_local(&format!("in the settings: {address}")).hint(hint));
    }
    let names = config.allowed_hosts.iter().map(|name| listener::host_name(name));
    let names: Vec<String> = names.collect::<Result<_, _>>().map_err(|e| wrong(&e.to_string()))?;
    Ok(Some(Listen { address: Some(address), insecure: false, allow_hosts: Some(names) }))
}

fn check_local(address: SocketAddr) -> Result<(), CommandError> {
    if listener::is_local(address) {
        return Ok(());
    }
    Err(not_local(&address.to_string())
        .hint("listen on 127.0.0.1 and put a TLS proxy before it, with --allow-host NAME")
        .hint("or accept that others can read along: `headsup up --listen ADDR --insecure-listen`"))
}

fn not_local(address: &str) -> CommandError {
    let message = format!("{address} can be reached from other machines without TLS");
    CommandError::new(Kind::Refused, message).code("not_loopback")
}

/// The link is data; how to use it is talk.
pub(crate) fn show(url: &str, output: Output) -> Result<(), CommandError> {
    output.say(&Line::plain("headsup: this link lets one browser in, within two minutes:"));
    output.line(&Line::plain(url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_followed_or_refused_but_never_passed_over() {
        let settled = |listen: Option<&str>, names: &[&str]| {
            settled(&Config {
                listen: listen.map(str::to_owned),
                allowed_hosts: names.iter().map(|name| (*name).to_owned()).collect(),
                ..Config::default()
            })
        };
        assert_eq!(settled(None, &[]).unwrap(), None);
        let listen = settled(Some("[::1]:80"), &["Hub.Example"]).unwrap().unwrap();
        assert_eq!(listen.address, Some("[::1]:80".parse().unwrap()));
        assert_eq!(listen.allow_hosts, Some(vec!["hub.example".to_owned()]));
        assert!(!listen.insecure);
        for (listen, names, code) in [
            (None, &["hub.example"][..], "bad_config"),
            (Some("hub:80"), &[], "bad_config"),
            (Some("127.0.0.1"), &["http://hub/"], "bad_config"),
            (Some("0.0.0.0:80"), &[], "not_loopback"),
        ] {
            assert_eq!(settled(listen, names).unwrap_err().code, code, "{listen:?} {names:?}");
        }
    }
}
