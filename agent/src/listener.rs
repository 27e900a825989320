//! The sockets on which a server listens: TCP, or a path in the file system where the system has
//! such sockets. The file of a socket is removed when the server stops, unless another server has
//! replaced it.

use std::io;
use std::net::SocketAddr;
#[cfg(unix)]
use std::path::{Path, PathBuf};

#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::address::{ListenAddress, Peer};

/// A socket that accepts connections.
pub(crate) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(SocketFile, UnixListener),
}

/// A connection that was accepted.
pub(crate) enum Accepted {
    Tcp(TcpStream, Peer),
    #[cfg(unix)]
    Unix(tokio::net::UnixStream, Peer),
}

/// Removes the file of a socket when it is dropped, if it still is the one that was bound. It is
/// dropped before the socket is closed: until then the system gives its inode to no other file.
#[cfg(unix)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// The device and the inode.
    id: (u64, u64),
}

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
                let listener = UnixListener::bind(path)?;
                Ok(Self::Unix(SocketFile { path: path.clone(), id: file_id(path)? }, listener))
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
            Self::Unix(file, _) => Ok(ListenAddress::Unix(file.path.clone())),
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
            Self::Unix(_, listener) => Ok(Accepted::Unix(listener.accept().await?.0, Peer::Unix)),
        }
    }
}

#[cfg(unix)]
impl Drop for SocketFile {
    fn drop(&mut self) {
        if file_id(&self.path).is_ok_and(|id| id == self.id) {
            // Nothing is lost if it has been removed meanwhile.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn file_id(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_socket_file_that_another_server_has_replaced_stays() -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let _entered = runtime.enter();
        let name = format!("lictor-{}-replaced.sock", std::process::id());
        let path = std::env::temp_dir().join(name);
        let address = ListenAddress::Unix(path.clone());
        let first = Listener::bind(&address)?;
        let second = Listener::bind(&address)?;
        drop(first);
        UnixStream::connect(&path)?;
        drop(second);
        assert!(!path.exists());
        Ok(())
    }
}
