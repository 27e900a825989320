//! The addresses of a server and of its clients, and their texts.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Where a server accepts connections.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListenAddress {
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// The path of a socket in the file system. A socket that already exists there is replaced.
    Unix(PathBuf),
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "http://{address}"),
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
        }
    }
}

/// The client of a connection. Its text is that of `RemoteAddr` in Go's `net/http`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Peer {
    Tcp(SocketAddr),
    #[cfg(unix)]
    Unix,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            #[cfg(unix)]
            Self::Unix => f.write_str("@"),
        }
    }
}
