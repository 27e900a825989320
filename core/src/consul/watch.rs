//! Blocking queries of [`Consul`] as typed values: [`Consul::watch_key`] and its neighbours make
//! one, and [`Consul::poll_watch`] takes the data once it has changed or the wait has ended.
//!
//! The same queries over HTTP, with their headers and JSON, are made by [`Consul::request`].

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use super::Consul;
use crate::engine::{Input, Wake};
use crate::error::Error;
use crate::http::bounded_wait;
use crate::id::{Index, Key, RequestId, SessionRef};
use crate::message::{Answer, Consistency, Operation, Refusal, Request, Response, Wait};
use crate::store::{Entry, Found, Query, Session};

/// A blocking query, made by [`Consul::watch`], [`Consul::watch_key`], [`Consul::watch_prefix`] or
/// [`Consul::watch_session`]. [`Consul::poll_watch`] takes its answer, of which there is one.
#[derive(Debug)]
#[must_use = "`poll_watch` takes its answer"]
pub struct Watch<T> {
    id: RequestId,
    data_of: fn(Found) -> T,
}

/// The answer to a blocking query.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Watched<T> {
    /// The index of the data. The next query waits for what comes after it.
    pub index: Index,
    /// The data, as it is when the query is answered.
    pub data: T,
    /// Why the query is answered: a change, or the end of its wait, which brings the same data
    /// again. `None` for a query with index 0, which does not wait.
    pub wake: Option<Wake>,
}

/// The answer to a blocking query before its data has the type of the watch.
pub(super) type WatchAnswer = Result<Watched<Found>, Error>;

impl Consul {
    /// Watches a key: its entry, or `None` while it does not exist (BLK-04).
    ///
    /// With index 0 the query is answered at once. With the index of an earlier answer it waits
    /// until the data changes, but no longer than `wait` and up to a sixteenth of it (BLK-03). A
    /// wait of zero stands for Consul's default of 5 minutes; the longest is 10 minutes.
    ///
    /// ```
    /// use core::time::Duration;
    /// use lictor_core::Consul;
    /// use lictor_core::id::Index;
    ///
    /// let mut consul = Consul::seeded(1);
    /// let _ = consul.put("config", "v1")?;
    /// let now = consul.watch_key("config", Index::ZERO, Duration::ZERO);
    /// let now = consul.poll_watch(&now).expect("it is answered at once")?;
    ///
    /// let next = consul.watch_key("config", now.index, Duration::from_secs(60));
    /// assert!(consul.poll_watch(&next).is_none(), "nothing has changed yet");
    /// let _ = consul.put("config", "v2")?;
    /// let next = consul.poll_watch(&next).expect("the key has changed")?;
    /// assert_eq!(&*next.data.expect("it exists").value, b"v2");
    /// # Ok::<(), lictor_core::error::Error>(())
    /// ```
    pub fn watch_key(
        &mut self,
        key: &str,
        index: Index,
        wait: Duration,
    ) -> Watch<Option<Arc<Entry>>> {
        self.watch_as(Query::Key(Key::from(key)), index, wait, |found| match found {
            Found::Entry(entry) => entry,
            _ => None,
        })
    }

    /// Watches all entries under a prefix (BLK-11). Time and index are as in
    /// [`watch_key`](Self::watch_key).
    pub fn watch_prefix(
        &mut self,
        prefix: &str,
        index: Index,
        wait: Duration,
    ) -> Watch<Vec<Arc<Entry>>> {
        self.watch_as(Query::Tree(Key::from(prefix)), index, wait, |found| match found {
            Found::Entries(entries) => entries,
            _ => Vec::new(),
        })
    }

    /// Watches a session: `None` once it has ended. Time and index are as in
    /// [`watch_key`](Self::watch_key).
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use lictor_core::Consul;
    /// # use lictor_core::id::Index;
    /// let mut consul = Consul::seeded(1);
    /// let session = consul.session().ttl(Duration::from_secs(10)).create()?;
    /// let now = consul.watch_session(session, Index::ZERO, Duration::ZERO);
    /// let now = consul.poll_watch(&now).expect("it is answered at once")?;
    ///
    /// let end = consul.watch_session(session, now.index, Duration::from_secs(60));
    /// consul.advance(Duration::from_secs(20));
    /// let end = consul.poll_watch(&end).expect("the session has expired")?;
    /// assert!(end.data.is_none());
    /// # Ok::<(), lictor_core::error::Error>(())
    /// ```
    pub fn watch_session(
        &mut self,
        session: impl Into<SessionRef>,
        index: Index,
        wait: Duration,
    ) -> Watch<Option<Arc<Session>>> {
        self.watch_as(Query::Session(session.into()), index, wait, |found| match found {
            Found::Session(session) => session,
            _ => None,
        })
    }

    /// Watches anything that can be read, such as the nodes or the health of a service. Time and
    /// index are as in [`watch_key`](Self::watch_key).
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use lictor_core::Consul;
    /// # use lictor_core::id::Index;
    /// use lictor_core::store::{Found, Query};
    ///
    /// let mut consul = Consul::seeded(1);
    /// let nodes = consul.watch(Query::Nodes, Index::ZERO, Duration::ZERO);
    /// let nodes = consul.poll_watch(&nodes).expect("it is answered at once")?;
    /// assert!(matches!(nodes.data, Found::Nodes(nodes) if nodes.len() == 1));
    /// # Ok::<(), lictor_core::error::Error>(())
    /// ```
    pub fn watch(&mut self, query: Query, index: Index, wait: Duration) -> Watch<Found> {
        self.watch_as(query, index, wait, |found| found)
    }

    /// Takes the answer to a blocking query. `None` while it waits, and after its answer was taken
    /// or it was cancelled.
    ///
    /// # Errors
    /// [`Error::TooManyParked`] if no more queries may wait. A query of [`Consul::watch`] can also
    /// fail as the same read without waiting does.
    pub fn poll_watch<T>(&mut self, watch: &Watch<T>) -> Option<Result<Watched<T>, Error>> {
        let answer = self.watches.get_mut(&watch.id)?.take()?;
        self.watches.remove(&watch.id);
        Some(answer.map(|Watched { index, data, wake }| {
            let data = (watch.data_of)(data);
            Watched { index, data, wake }
        }))
    }

    /// Cancels a blocking query, as a client does by closing its connection.
    pub fn cancel_watch<T>(&mut self, watch: &Watch<T>) {
        if let Some(None) = self.watches.remove(&watch.id) {
            self.step(Input::Cancel(watch.id));
        }
    }

    fn watch_as<T>(
        &mut self,
        query: Query,
        index: Index,
        wait: Duration,
        data_of: fn(Found) -> T,
    ) -> Watch<T> {
        let id = self.next_id();
        self.watches.insert(id, None);
        let wait = Some(Wait { min_index: index, timeout: bounded_wait(wait) });
        let operation = Operation::Read { query, wait, consistency: Consistency::Default };
        let request = Request { agent: self.agent.node.clone(), operation };
        self.step(Input::Request { id, request });
        Watch { id, data_of }
    }
}

/// The answer of the engine to a blocking query.
pub(super) fn answer(result: Result<Response, Refusal>, wake: Option<Wake>) -> WatchAnswer {
    let Response { index, answer, .. } = result.map_err(|refusal| refusal.error)?;
    match answer {
        Answer::Found(data) => Ok(Watched { index, data, wake }),
        answer => unreachable!("a read is answered by what it found, not {answer:?}"),
    }
}
