//! Where a host is, by its name.
//!
//! The system's own library would ask plug-ins that a program which stands alone cannot load, so
//! the hosts file and the name servers are asked from here.

use hickory_resolver::TokioResolver;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::time::timeout;

/// Shorter than a call may take, so that it is said what took so long.
const WITHIN: Duration = Duration::from_millis(1_500);

/// All addresses of a host, at least one.
///
/// # Errors
/// Where nobody knows the host.
pub async fn find(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let found: Vec<IpAddr> = match host.parse() {
        Ok(address) => vec![address],
        Err(_) if host.eq_ignore_ascii_case("localhost") => {
            vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
        }
        Err(_) => match timeout(WITHIN, ask(host)).await {
            Ok(Ok(found)) => found,
            // Its own words on that are for programmers.
            Ok(Err(error)) if error.is_no_records_found() => {
                return Err(unknown(host, &"no name server knows an address of it"));
            }
            Ok(Err(error)) => return Err(unknown(host, &error)),
            Err(_) => return Err(unknown(host, &"no name server answers")),
        },
    };
    Ok(found.into_iter().map(|address| SocketAddr::new(address, port)).collect())
}

async fn ask(host: &str) -> Result<Vec<IpAddr>, hickory_resolver::net::NetError> {
    let mut builder = TokioResolver::builder_tokio()?;
    builder.options_mut().attempts = 1;
    Ok(builder.build()?.lookup_ip(host).await?.iter().collect())
}

fn unknown(host: &str, why: &dyn std::fmt::Display) -> io::Error {
    io::Error::other(format!("where {host} is cannot be found out: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn addresses_and_the_own_machine_are_found_without_asking() {
        let found = async |host| {
            let found = find(host, 80).await.unwrap();
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(found("127.0.0.1").await, ["127.0.0.1:80"]);
        assert_eq!(found("::1").await, ["[::1]:80"]);
        assert_eq!(found("LocalHost").await, ["127.0.0.1:80", "[::1]:80"]);
    }

    #[tokio::test]
    async fn a_name_that_cannot_be_found_is_an_error_that_names_it() {
        let error = find("no-such-host.invalid", 80).await.unwrap_err();
        assert!(error.to_string().contains("no-such-host.invalid"), "{error}");
        assert!(!error.to_string().contains(['{', '"']), "{error}");
    }
}
