//! The sockets on which a server listens: TCP, or a path in the file system where the system has
//! such sockets. The file of a socket is removed when the server stops.

use std::io;
use std::net::SocketAddr;
#[cfg(unix)]
use std::path::PathBuf;

#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::address::{ListenAddress, Peer};

/// A socket that accepts connections.
pub(crate) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener, SocketFile),
}

/// A connection that was accepted.
pub(crate) enum Accepted {
    Tcp(TcpStream, Peer),
    #[cfg(unix)]
    Unix(tokio::net::UnixStream, Peer),
}

/// Removes the file of a socket when it is dropped.
#[cfg(unix)]
pub(crate) struct SocketFile(PathBuf);

/// The number of connections that may wait to be accepted.
const BACKLOG: u32 = 4096;

impl Listener {
    /// Listens on an address. A socket file at its path is replaced, as an earlier server may have
    /// left it behind; any other file there is an error.
    pub(crate) fn bind(address: &ListenAddress) -> io::Result<Self> {
        match address {
            ListenAddress::Tcp(address) => listen(*address).map(Self::Tcp),
            #[cfg(unix)]
            ListenAddress::Unix(path) => {
                if std::fs::symlink_metadata(path).is_ok_and(|it| is_socket(&it)) {
                    std::fs::remove_file(path)?;
                }
                Ok(Self::Unix(UnixListener::bind(path)?, SocketFile(path.clone())))
            }
            #[cfg(not(unix))]
            ListenAddress::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// The address on which it listens, with the port that the system chose.
    pub(crate) fn address(&self) -> io::Result<ListenAddress> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(ListenAddress::Tcp),
            #[cfg(unix)]
            Self::Unix(_, file) => Ok(ListenAddress::Unix(file.0.clone())),
        }
    }

    pub(crate) async fn accept(&self) -> io::Result<Accepted> {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = listener.accept().await?;
                // Without it small answers may wait for the acknowledgement of earlier ones.
                let _ = stream.set_nodelay(true);
                Ok(Accepted::Tcp(stream, Peer::Tcp(peer)))
            }
            #[cfg(unix)]
            Self::Unix(listener, _) => Ok(Accepted::Unix(listener.accept().await?.0, Peer::Unix)),
        }
    }
}

#[cfg(unix)]
impl Drop for SocketFile {
    fn drop(&mut self) {
        // Nothing is lost if it has been removed already.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(unix)]
fn is_socket(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_socket()
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Windows the option would let another process take the port as well.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
