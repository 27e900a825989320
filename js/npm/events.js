// Delivers the events of a server to listeners, and to streams for `for await`. No event is lost between
// the creation of a stream and its end.

/** @import { ConsulEvent } from "./types.js" */

/**
 * Delivers events to listeners in order, also if a listener causes further ones.
 */
export class EventHub {
  /** @type {Set<(event: ConsulEvent) => void>} */
  #listeners = new Set();
  /** @type {Set<EventStream>} */
  #streams = new Set();
  /** @type {ConsulEvent[]} */
  #queue = [];
  #isDelivering = false;

  /** Whether there is a listener or a stream. */
  get isObserved() {
    return this.#listeners.size > 0;
  }

  /**
   * Adds a listener, and returns a function that removes it.
   * @param {(event: ConsulEvent) => void} listener
   */
  add(listener) {
    // A function that is added twice is called twice.
    const own = (/** @type {ConsulEvent} */ event) => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /**
   * Adds a stream.
   * @param {() => void} onEnd called when the stream has ended
   */
  stream(onEnd) {
    const stream = new EventStream(() => {
      remove();
      this.#streams.delete(stream);
      onEnd();
    });
    const remove = this.add((event) => stream.push(event));
    this.#streams.add(stream);
    return stream;
  }

  /**
   * Delivers events.
   * @param {ConsulEvent[]} events
   */
  deliver(events) {
    this.#queue.push(...events);
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let event = this.#queue.shift(); event; event = this.#queue.shift()) {
      for (const listener of [...this.#listeners]) {
        try {
          listener(event);
        } catch (error) {
          // As with an EventTarget, the error of a listener is not that of the caller.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    }
    this.#isDelivering = false;
  }

  /**
   * Ends all streams, with an error if there is one, and removes all listeners.
   * @param {Error} [error]
   */
  close(error) {
    for (const stream of [...this.#streams]) stream.end(error);
    this.#listeners.clear();
  }
}

/**
 * The events after the creation of the stream. It ends when it is left, when the server is freed, and with an
 * error when the engine fails.
 * @implements {AsyncIterableIterator<ConsulEvent, undefined>}
 */
export class EventStream {
  #onEnd;
  /** @type {ConsulEvent[]} */
  #events = [];
  /** @type {{ resolve: (result: IteratorResult<ConsulEvent, undefined>) => void, reject: (error: Error) => void }[]} */
  #readers = [];
  #isEnded = false;
  /** @type {Error | undefined} */
  #error;

  /**
   * Makes a stream.
   * @param {() => void} onEnd
   * @internal
   */
  constructor(onEnd) {
    this.#onEnd = onEnd;
  }

  /**
   * Adds an event.
   * @param {ConsulEvent} event
   * @internal
   */
  push(event) {
    const reader = this.#readers.shift();
    if (reader) reader.resolve({ value: event, done: false });
    else this.#events.push(event);
  }

  /**
   * Ends the stream after the events that it has.
   * @param {Error} [error]
   * @internal
   */
  end(error) {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#onEnd();
    for (const reader of this.#readers.splice(0)) {
      if (error) reader.reject(error);
      else reader.resolve({ value: undefined, done: true });
    }
  }

  /**
   * The next event, which may come later.
   * @returns {Promise<IteratorResult<ConsulEvent, undefined>>}
   */
  next() {
    const event = this.#events.shift();
    if (event) return Promise.resolve({ value: event, done: false });
    if (this.#error) return Promise.reject(this.#error);
    if (this.#isEnded) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /**
   * Ends the stream and drops the events that were not read.
   * @returns {Promise<IteratorResult<ConsulEvent, undefined>>}
   */
  async return() {
    this.#events = [];
    this.end();
    return { value: undefined, done: true };
  }

  /** Itself. */
  [Symbol.asyncIterator]() {
    return this;
  }
}
