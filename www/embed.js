// Defines <lictor-sandbox>: the sandbox in another page (docs/en/use/embedding.md). Until it is started, by its button,
// the attribute `eager` or a call, the element shows its own content and loads nothing. This is a classic script,
// because a module of another origin would need CORS headers.

if (!customElements.get("lictor-sandbox")) {
  const script = document.currentScript;
  const PAGE = new URL("./", script instanceof HTMLScriptElement ? script.src : location.href);
  // Attributes that become query parameters of the page, besides the language.
  const PARAMETERS = ["show", "lanes", "theme", "consul", "open-answer"];
  const VERBS = [
    "act", "advance", "guide", "guideAnswer", "guideStep", "guideValue", "load", "log", "newWorld", "now", "paste",
    "pause", "read", "request", "run", "seek", "toLink", "trace", "version",
    // The former names of `read`, `version`, `toLink` and `trace`.
    "ask", "consul", "link", "story",
  ];
  /** @typedef {{ run: string, loading: string, name: string }} Texts */
  /** @type {Record<string, Texts>} */
  const TEXTS = {
    en: { run: "Run this", loading: "Loading", name: "Lictor sandbox" },
    zh: { run: "运行", loading: "正在加载", name: "Lictor 沙箱" },
  };
  // How long a frame that was loaded may take to report that it has a sandbox, in ms.
  const SILENT_MS = 15000;
  const GONE = "the sandbox is not in the page";

  /** The error of a call without a sandbox. @param {string} message */
  const closed = (message) => Object.assign(new Error(message), { code: "closed" });

  const STYLE = new CSSStyleSheet();
  STYLE.replaceSync(`
    :host { display: block; position: relative; box-sizing: border-box; height: 420px; min-height: 300px; overflow: hidden;
            border: 1px solid light-dark(#7f8896, #707b8a); border-radius: 8px; }
    :host([hidden]) { display: none; }
    iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; }
    div ~ iframe { visibility: hidden; }
    div { box-sizing: border-box; height: 100%; padding: 0 16px 80px; overflow: auto; }
    ::slotted(*) { max-width: 100%; }
    button { position: absolute; left: 50%; bottom: 16px; translate: -50%; min-height: 44px; padding: 0 20px; border: 0; border-radius: 4px;
             background: #1d5bc8; color: #fff; font: 600 14px system-ui, sans-serif; cursor: pointer; }
    button:hover { background: #174aa3; }
    button:focus-visible { outline: 2px solid #fff; box-shadow: 0 0 0 4px #1d5bc8; }
  `);

  /** @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void }} Pending */

  // The element has the functions of docs/en/use/scripting.md; here they return promises.
  class LictorSandbox extends HTMLElement {
    /** @type {HTMLIFrameElement | undefined} */
    #frame;
    /** @type {(Pending & { promise: Promise<any> }) | undefined} */
    #ready;
    #root = this.attachShadow({ mode: "open" });
    #button = document.createElement("button");
    #poster = document.createElement("div");
    #error = document.createElement("p");
    /** @type {Map<number, Pending>} */
    #calls = new Map();
    #callCount = 0;
    #wasVisible = false;
    /** @param {MessageEvent} event */
    #onMessage = (event) => this.#receive(event);
    #visibility = new IntersectionObserver((entries) => this.#setVisible(!!entries.at(-1)?.isIntersecting));

    constructor() {
      super();
      this.#root.adoptedStyleSheets = [STYLE];
      this.#button.type = "button";
      this.#button.onclick = () => this.start();
      this.#error.setAttribute("role", "alert");
      this.#poster.append(document.createElement("slot"), this.#error);
    }

    connectedCallback() {
      this.#showPoster("");
      addEventListener("message", this.#onMessage);
      if (this.hasAttribute("eager")) this.start();
    }

    // Without this, moving the element within the document would reload the sandbox.
    connectedMoveCallback() {}

    disconnectedCallback() {
      removeEventListener("message", this.#onMessage);
      this.#end(closed(GONE));
    }

    /** Loads the sandbox, once; resolves when it can be used. @returns {Promise<LictorSandbox>} */
    start() {
      if (!this.isConnected) return Promise.reject(closed(GONE));
      this.#ready ??= this.#load();
      return this.#ready.promise;
    }

    // The language of the surrounding text, else of the browser; English if the sandbox does not have it.
    get #language() {
      const ancestor = this.closest("[lang]:not([lang=''])");
      const tag = ancestor?.getAttribute("lang") ?? navigator.language;
      const language = tag.split("-")[0].toLowerCase();
      return Object.hasOwn(TEXTS, language) ? language : "en";
    }

    get #texts() {
      return TEXTS[this.#language];
    }

    /** @param {string} error */
    #showPoster(error) {
      const label = this.getAttribute("label");
      this.#error.textContent = error;
      this.#button.textContent = this.#texts.run;
      this.#button.ariaLabel = label && `${this.#texts.run}: ${label}`;
      this.#root.replaceChildren(this.#poster, this.#button);
    }

    #load() {
      const ready = Promise.withResolvers();
      // A rejection without a listener is no error of the page.
      ready.promise.catch(() => {});
      const frame = document.createElement("iframe");
      frame.title = this.getAttribute("label") || this.#texts.name;
      frame.allow = "clipboard-write";
      frame.referrerPolicy = "no-referrer";
      frame.src = this.#address();
      const silent = () => this.#ready === ready && !this.#isReady && this.#fail(closed("no sandbox answers"));
      frame.onload = () => setTimeout(silent, SILENT_MS);
      this.#frame = frame;
      this.#button.textContent = this.#texts.loading;
      this.#button.ariaLabel = null;
      this.#error.textContent = "";
      this.#root.append(frame);
      return ready;
    }

    #address() {
      const query = new URLSearchParams({ embed: "", lang: this.#language });
      for (const name of PARAMETERS) {
        const value = this.getAttribute(name);
        if (value !== null) query.set(name, value);
      }
      const opens = (this.getAttribute("opens") ?? "").trim();
      const fragment = opens.includes("#") ? opens.slice(opens.indexOf("#")) : opens && `#story=${opens}`;
      return `${new URL(`?${query}`, PAGE)}${fragment}`;
    }

    get #isReady() {
      return !!this.#frame && !this.#poster.isConnected;
    }

    /** @param {MessageEvent} event */
    #receive({ source, origin, data }) {
      if (!this.#frame || source !== this.#frame.contentWindow || origin !== PAGE.origin) return;
      const { lictor, value, error, code } = data ?? {};
      if (lictor === "ready") this.#begin();
      else if (lictor === "failed") this.#fail(closed(error));
      else if (lictor === "change") this.dispatchEvent(new Event("change"));
      else {
        const call = this.#calls.get(lictor);
        this.#calls.delete(lictor);
        if (error === undefined) call?.resolve(value);
        else call?.reject(code === undefined ? new Error(error) : Object.assign(new Error(error), { code }));
      }
    }

    // Runs again when the reader reloads the frame.
    #begin() {
      this.#reject(closed("the sandbox was loaded again"));
      const hadFocus = this.#root.activeElement === this.#button;
      this.#poster.remove();
      this.#button.remove();
      // Only a visible frame can take the focus.
      if (hadFocus) this.#frame?.focus();
      this.#visibility.observe(this);
      this.#ready?.resolve(this);
      this.dispatchEvent(new Event("ready"));
    }

    /** @param {Error} error */
    #fail(error) {
      this.#end(error);
      this.#showPoster(error.message);
    }

    /** @param {Error} error */
    #end(error) {
      this.#ready?.reject(error);
      this.#reject(error);
      this.#visibility.disconnect();
      this.#wasVisible = false;
      this.#ready = this.#frame = undefined;
    }

    /** @param {Error} error */
    #reject(error) {
      for (const { reject } of this.#calls.values()) reject(error);
      this.#calls.clear();
    }

    // Time stops when the sandbox leaves the viewport.
    /** @param {boolean} isVisible */
    #setVisible(isVisible) {
      if (this.#wasVisible && !isVisible) this.#post("pause", [], 0);
      this.#wasVisible = isVisible;
    }

    /** @param {string} verb @param {unknown[]} given @param {number} number */
    #post(verb, given, number) {
      this.#frame?.contentWindow?.postMessage({ lictor: number, verb, given }, PAGE.origin);
    }

    /** Calls a function of the sandbox. @param {string} verb @param {unknown[]} given */
    async call(verb, ...given) {
      await this.start();
      return new Promise((resolve, reject) => {
        if (!this.#isReady) return reject(closed(GONE));
        this.#calls.set(++this.#callCount, { resolve, reject });
        this.#post(verb, given, this.#callCount);
      });
    }
  }

  for (const verb of VERBS) {
    /** @this {LictorSandbox} @param {unknown[]} given */
    const value = function (...given) {
      return this.call(verb, ...given);
    };
    Object.defineProperty(LictorSandbox.prototype, verb, { value });
  }
  customElements.define("lictor-sandbox", LictorSandbox);
}
