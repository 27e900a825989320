//! TCP as plain data: which HTTP clients there are and how they keep connections, how the kernel
//! repeats what is not acknowledged, and the errors in which a request or a connection can end.

mod client;
mod error;
mod kernel;

pub use self::client::{HttpClient, KeepAlive, Profile, ResponseTimeout};
pub use self::error::{Ends, NetworkError};
pub use self::kernel::{Kernel, LINUX_6};

use serde::{Deserialize, Serialize};

/// How messages travel between clients and the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// Each message travels alone: a cut or a lossy link swallows it for ever. Worlds from before
    /// there was another network keep it.
    Messages,
    /// Each client has connections, on which the kernel repeats what is not acknowledged.
    #[default]
    Tcp,
}

/// The number of a connection in its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ConnectionId(pub u64);
