//! The smallest client that speaks to the hub: one request, one connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// What was answered.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_str())
    }
}

/// Sends one request to a socket; returns status and body.
pub fn request(
    socket: &Path,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<(u16, Vec<u8>)> {
    let answer = on_socket(socket, method, target, headers, body)?;
    Ok((answer.status, answer.body))
}

/// The same; returns all of the answer.
pub fn on_socket(
    socket: &Path,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<Answer> {
    exchange(UnixStream::connect(socket)?, "localhost", method, target, headers, body)
}

/// Sends one request to `HOST:PORT`.
pub fn over_tcp(
    address: &str,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<Answer> {
    exchange(TcpStream::connect(address)?, address, method, target, headers, body)
}

fn exchange(
    mut stream: impl Read + Write,
    host: &str,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<Answer> {
    let mut head = format!("{method} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    if method != "GET" {
        head.extend(["content-type: application/json\r\ncontent-length: "]);
        head.extend([body.len().to_string(), "\r\n".to_owned()]);
    }
    head.extend(["\r\n"]);
    stream.write_all(head.as_bytes())?;
    // Whoever is refused before all of the body is there hears why.
    let sent = stream.write_all(body);
    read(stream).or_else(|error| sent.and(Err(error)))
}

/// `GET target`.
pub fn get(socket: &Path, target: &str) -> io::Result<(u16, Vec<u8>)> {
    request(socket, "GET", target, &[], &[])
}

/// `POST target` with a JSON body.
pub fn post(socket: &Path, target: &str, body: &[u8]) -> io::Result<(u16, Vec<u8>)> {
    request(socket, "POST", target, &[], body)
}

/// A connection that is kept for the next request, as a busy client does. One that the hub has
/// closed is opened again.
#[derive(Debug)]
pub struct Line {
    socket: PathBuf,
    reader: BufReader<UnixStream>,
}

impl Line {
    /// Connects to the hub's socket.
    pub fn open(socket: &Path) -> io::Result<Self> {
        let reader = BufReader::new(UnixStream::connect(socket)?);
        Ok(Self { socket: socket.to_owned(), reader })
    }

    /// `POST target` with a JSON body; status and body of the answer.
    pub fn post(&mut self, target: &str, body: &[u8]) -> io::Result<(u16, Vec<u8>)> {
        self.post_with(target, &[], body)
    }

    /// The same with more headers.
    pub fn post_with(
        &mut self,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<(u16, Vec<u8>)> {
        let mut request = format!(
            "POST {target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        request.push_str("\r\n");
        let mut bytes = request.into_bytes();
        bytes.extend_from_slice(body);
        let sent = self.reader.get_mut().write_all(&bytes);
        let answer = sent.and_then(|()| read_from(&mut self.reader)).or_else(|_| {
            // It was closed behind the last answer.
            self.reader = BufReader::new(UnixStream::connect(&self.socket)?);
            self.reader.get_mut().write_all(&bytes)?;
            read_from(&mut self.reader)
        })?;
        if answer.header("connection").is_some_and(|word| word.eq_ignore_ascii_case("close")) {
            self.reader = BufReader::new(UnixStream::connect(&self.socket)?);
        }
        Ok((answer.status, answer.body))
    }
}

fn read(stream: impl Read) -> io::Result<Answer> {
    read_from(&mut BufReader::new(stream))
}

fn read_from(reader: &mut BufReader<impl Read>) -> io::Result<Answer> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.ok_or_else(|| bad("no status line"))?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let trimmed = line.trim_end();
        if trimmed.is_empty() {
            break;
        }
        if let Some((name, value)) = trimmed.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let mut answer = Answer { status, headers, body: Vec::new() };
    let length = answer.header("content-length").and_then(|text| text.parse::<usize>().ok());
    let body = &mut answer.body;
    if let Some(length) = length {
        body.resize(length, 0);
        reader.read_exact(body)?;
    } else {
        reader.read_to_end(body)?;
        let coding = answer.header("transfer-encoding");
        if coding.is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            answer.body = joined(&answer.body).ok_or_else(|| bad("a chunk that ends early"))?;
        }
    }
    Ok(answer)
}

/// The body that came in chunks: `SIZE CRLF BYTES CRLF`, the last one of size 0.
fn joined(mut chunks: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = chunks.windows(2).position(|two| two == b"\r\n")?;
        let (size, rest) = (str::from_utf8(&chunks[..end]).ok()?, &chunks[end + 2..]);
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(rest.get(..size)?);
        chunks = rest.get(size + 2..)?;
    }
}
