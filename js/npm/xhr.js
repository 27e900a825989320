// A class XMLHttpRequest whose requests to some origins are answered by a server in memory. It derives
// from the browser's class, which sends all other requests. Synchronous requests are refused.

/** @typedef {(given: unknown) => { url: URL, answer: import("./install.js").Answer } | undefined} ServerOf */

/**
 * A request that a server in memory answers. `state` is its `readyState`.
 * @typedef {object} OwnRequest
 * @property {string} method
 * @property {URL} url
 * @property {import("./install.js").Answer} answer
 * @property {Headers} headers
 * @property {AbortController} controller
 * @property {boolean} isSent
 * @property {number} state
 * @property {Response | null} response
 * @property {Uint8Array<ArrayBuffer>} body
 */

const [OPENED, HEADERS_RECEIVED, LOADING, DONE] = [1, 2, 3, 4];

/**
 * @param {typeof XMLHttpRequest} Original
 * @param {ServerOf} serverOf
 */
export const answeredXhr = (Original, serverOf) =>
  class XMLHttpRequest extends Original {
    /** @type {OwnRequest | null} */
    #own = null;

    /**
     * @override
     * @param {string} method
     * @param {string | URL} url
     * @param {boolean} [isAsync]
     * @param {string | null} [user]
     * @param {string | null} [password]
     */
    open(method, url, isAsync = true, user, password) {
      const server = serverOf(url);
      this.#own?.controller.abort();
      this.#own = null;
      if (!server) return super.open(method, url, isAsync, user, password);
      if (!isAsync) {
        throw new DOMException("a synchronous request cannot be answered", "InvalidAccessError");
      }
      this.#own = {
        method,
        ...server,
        headers: new Headers(),
        controller: new AbortController(),
        isSent: false,
        state: OPENED,
        response: null,
        body: new Uint8Array(),
      };
      this.dispatchEvent(new Event("readystatechange"));
    }

    /**
     * @override
     * @param {string} name
     * @param {string} value
     */
    setRequestHeader(name, value) {
      if (!this.#own) return super.setRequestHeader(name, value);
      this.#unsent().headers.append(name, value);
    }

    /**
     * @override
     * @param {Document | XMLHttpRequestBodyInit | null} [body]
     */
    send(body) {
      if (!this.#own) return super.send(body);
      const own = this.#unsent();
      own.isSent = true;
      const hasBody = !["GET", "HEAD"].includes(own.method.toUpperCase());
      const content = hasBody ? /** @type {XMLHttpRequestBodyInit} */ (body ?? null) : null;
      this.#progress("loadstart", 0);
      const timer =
        this.timeout > 0 ? setTimeout(() => this.#end(own, "timeout"), this.timeout) : undefined;
      this.#answer(own, content)
        .catch(() => this.#end(own, "error"))
        .finally(() => clearTimeout(timer));
    }

    /** @override */
    abort() {
      if (!this.#own) return super.abort();
      const own = this.#own;
      if (own.isSent && own.state < DONE) this.#end(own, "abort");
      if (own.state === DONE) own.state = 0;
    }

    /**
     * @override
     * @param {string} name
     */
    getResponseHeader(name) {
      if (!this.#own) return super.getResponseHeader(name);
      return this.#own.response?.headers.get(name) ?? null;
    }

    /** @override */
    getAllResponseHeaders() {
      if (!this.#own) return super.getAllResponseHeaders();
      const headers = [...(this.#own.response?.headers ?? [])];
      return headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    }

    /**
     * @override
     * @param {string} type
     */
    overrideMimeType(type) {
      if (!this.#own) super.overrideMimeType(type);
    }

    /** @override */
    get readyState() {
      return this.#own ? this.#own.state : super.readyState;
    }

    /** @override */
    get status() {
      return this.#own ? (this.#own.response?.status ?? 0) : super.status;
    }

    /** @override */
    get statusText() {
      return this.#own ? "" : super.statusText;
    }

    /** @override */
    get responseURL() {
      return this.#own ? (this.#own.response?.url ?? "") : super.responseURL;
    }

    /** @override */
    get responseText() {
      if (!this.#own) return super.responseText;
      if (this.responseType !== "" && this.responseType !== "text") {
        throw new DOMException(`the response is no text but ${this.responseType}`, "InvalidStateError");
      }
      return new TextDecoder().decode(this.#own.body);
    }

    /** @override */
    get responseXML() {
      return this.#own ? null : super.responseXML;
    }

    /** @override */
    get response() {
      if (!this.#own) return super.response;
      const { state, response, body } = this.#own;
      if (this.responseType === "" || this.responseType === "text") return this.responseText;
      if (state !== DONE || !response) return null;
      switch (this.responseType) {
        case "arraybuffer":
          return body.buffer;
        case "blob":
          return new Blob([body], { type: response.headers.get("content-type") ?? "" });
        case "json":
          try {
            return JSON.parse(new TextDecoder().decode(body));
          } catch {
            return null;
          }
        default:
          return null;
      }
    }

    #unsent() {
      const own = this.#own;
      if (!own || own.state !== OPENED || own.isSent) {
        throw new DOMException("the request is not open, or it was sent", "InvalidStateError");
      }
      return own;
    }

    /**
     * @param {OwnRequest} own
     * @param {XMLHttpRequestBodyInit | null} body
     */
    async #answer(own, body) {
      const { answer, url, method, headers, controller } = own;
      const response = await answer(url, { method, headers, body, signal: controller.signal });
      const content = new Uint8Array(await response.arrayBuffer());
      for (const state of [HEADERS_RECEIVED, LOADING, DONE]) {
        // A listener may have ended it, or opened the next request.
        if (this.#own !== own || controller.signal.aborted) return;
        own.response = response;
        if (state === LOADING) own.body = content;
        own.state = state;
        this.dispatchEvent(new Event("readystatechange"));
        if (state === LOADING) this.#progress("progress", content.length);
      }
      for (const type of ["load", "loadend"]) {
        if (this.#own === own) this.#progress(type, content.length);
      }
    }

    /**
     * Ends a request without a response.
     * @param {OwnRequest} own
     * @param {"abort" | "error" | "timeout"} type
     */
    #end(own, type) {
      if (this.#own !== own || own.controller.signal.aborted) return;
      Object.assign(own, { state: DONE, response: null, body: new Uint8Array() });
      own.controller.abort();
      this.dispatchEvent(new Event("readystatechange"));
      for (const name of [type, "loadend"]) {
        if (this.#own === own) this.#progress(name, 0);
      }
    }

    /**
     * @param {string} type
     * @param {number} loaded
     */
    #progress(type, loaded) {
      const init = { lengthComputable: loaded > 0, loaded, total: loaded };
      this.dispatchEvent(new ProgressEvent(type, init));
    }
  };
