//! Consul's HTTP as values: [`decode`] turns a request into a [`Call`] for the engine, [`encode`]
//! turns the engine's answer into a response. There are no sockets here. [`client`] is the same for
//! the client's side.

mod agent;
mod agent_rows;
mod agent_schema;
mod answers;
mod bad_request;
mod catalog;
mod check;
pub mod client;
mod connect;
mod go_base64;
mod key_name;
mod kv;
mod limits;
mod mesh;
mod mesh_schema;
mod object;
mod parameters;
mod parts;
mod path;
mod query;
mod query_rows;
mod render;
mod route;
mod rows;
mod schema;
mod session;
mod txn;
mod types;
#[cfg(test)]
mod unread_members;

pub use self::bad_request::BadRequest;
pub use self::key_name::KeyFault;
pub(crate) use self::limits::bounded_wait;
pub use self::parameters::{Parameter, Support};
pub use self::path::{QueryError, path_escaped, query_escaped};
pub use self::render::encode;
pub use self::route::{Endpoint, decode, endpoints};
pub use self::types::{
    Agent, AnswerFormat, AnswerKind, Call, EndpointGroup, HttpRequest, HttpResponse, Indent,
    WantedRows,
};
