//! Consul's filters, `?filter=`: the language of go-bexpr 0.1.2, in which a request selects rows of
//! a list (FLT-01). A filter is read and checked against the type of the rows when its request is
//! decoded, and evaluated on the rows in JSON when the answer is written.

mod condition;
mod error;
mod expression;
mod rows;
mod syntax;
mod trace;

pub use self::condition::Filter;
pub use self::error::FilterError;
pub use self::rows::{FieldType, RowType};
