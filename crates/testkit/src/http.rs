//! The smallest client that speaks to the hub's socket: one request, one connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// Sends one request; returns status and body.
pub fn request(
    socket: &Path,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<(u16, Vec<u8>)> {
    let mut stream = UnixStream::connect(socket)?;
    let mut head =
        format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    if method != "GET" {
        head.extend(["content-type: application/json\r\ncontent-length: "]);
        head.extend([body.len().to_string(), "\r\n".to_owned()]);
    }
    head.extend(["\r\n"]);
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    read(stream)
}

/// `GET target`.
pub fn get(socket: &Path, target: &str) -> io::Result<(u16, Vec<u8>)> {
    request(socket, "GET", target, &[], &[])
}

/// `POST target` with a JSON body.
pub fn post(socket: &Path, target: &str, body: &[u8]) -> io::Result<(u16, Vec<u8>)> {
    request(socket, "POST", target, &[], body)
}

fn read(stream: UnixStream) -> io::Result<(u16, Vec<u8>)> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.ok_or_else(|| bad("no status line"))?;
    let mut length = None;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let trimmed = line.trim_end();
        if trimmed.is_empty() {
            break;
        }
        if let Some((name, value)) = trimmed.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let mut body = Vec::new();
    match length {
        Some(length) => {
            body.resize(length, 0);
            reader.read_exact(&mut body)?;
        }
        None => {
            reader.read_to_end(&mut body)?;
        }
    }
    Ok((status, body))
}
