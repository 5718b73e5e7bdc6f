//! The makers' servers, as far as a program looks whether they are there: it believes what a proxy shows.

use crate::live::stage::Stage;
use crate::tls::{Authority, Certificate, Front};
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

/// Claude Code 2.1.330 asks these two before anybody may sign in.
const NAMES: [&str; 2] = ["api.anthropic.com", "platform.claude.com"];
const HELLO: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
                     content-length: 2\r\n\r\n{}";

/// They answer until this is dropped.
pub(super) struct Makers(#[expect(dead_code, reason = "it ends with this")] Front);

impl Makers {
    /// The program that is started next reaches them, and nothing else on the net.
    pub(super) fn start(stage: &Stage) -> Self {
        let authority = Authority::new("the makers' servers");
        let plain = served(|mut call| {
            head(&mut call)?;
            call.write_all(HELLO.as_bytes())
        });
        let to = format!("127.0.0.1:{plain}");
        let front = Front::start(&authority, &NAMES, Certificate::Good, &to);
        let tls = front.port();
        let proxy = served(move |mut call| {
            head(&mut call)?;
            call.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
            passed_on(call, TcpStream::connect(("127.0.0.1", tls))?)
        });
        let file = authority.write(stage.home.path());
        stage.lend("NODE_EXTRA_CA_CERTS", file.display().to_string());
        stage.lend("HTTPS_PROXY", format!("http://127.0.0.1:{proxy}"));
        Self(front)
    }
}

/// The port at which each call is taken so. Its thread ends with the program that plays.
fn served(take: impl Fn(TcpStream) -> io::Result<()> + Clone + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for call in listener.incoming().flatten() {
            let take = take.clone();
            thread::spawn(move || take(call));
        }
    });
    port
}

/// Reads what is asked, up to its empty line.
fn head(call: &mut TcpStream) -> io::Result<()> {
    let (mut read, mut byte) = (Vec::new(), [0]);
    while !read.ends_with(b"\r\n\r\n") {
        call.read_exact(&mut byte)?;
        read.extend(byte);
    }
    Ok(())
}

fn passed_on(mut outer: TcpStream, mut inner: TcpStream) -> io::Result<()> {
    let (mut asks, mut into) = (outer.try_clone()?, inner.try_clone()?);
    thread::spawn(move || {
        io::copy(&mut asks, &mut into).ok();
        into.shutdown(Shutdown::Write)
    });
    io::copy(&mut inner, &mut outer)?;
    outer.shutdown(Shutdown::Write)
}
