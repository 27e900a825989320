// <lictor-sandbox>: the sandbox in a page of somebody else (docs/embedding.md). Until somebody asks for
// it nothing is loaded: the element shows what stands in it, and a button. It is no module: a module of
// another origin would need that origin's leave.

{
  const PAGE = new URL("./", document.currentScript.src);
  // What the page reads from its address.
  const ASKED = ["show", "lanes", "lang", "theme"];
  const VERBS = ["act", "advance", "ask", "link", "load", "log", "now", "paste", "pause", "run", "seek", "story"];
  const WORDS = { en: ["Run this", "Lictor sandbox"], zh: ["运行", "Lictor 沙盒"] };

  const STYLE = new CSSStyleSheet();
  STYLE.replaceSync(`
    :host { display: block; position: relative; box-sizing: border-box; height: 420px; min-height: 300px; overflow: hidden;
            border: 1px solid light-dark(#7f8896, #707b8a); border-radius: 8px; }
    :host([hidden]) { display: none; }
    iframe { display: block; width: 100%; height: 100%; border: 0; }
    .poster { box-sizing: border-box; height: 100%; padding: 0 16px; overflow: auto; }
    ::slotted(*) { max-width: 100%; }
    button { position: absolute; left: 50%; bottom: 16px; translate: -50%; min-height: 44px; padding: 0 20px; border: 0; border-radius: 4px;
             background: #1d5bc8; color: #fff; font: 600 14px system-ui, sans-serif; cursor: pointer; }
    button:hover { background: #174aa3; }
    button:focus-visible { outline: 2px solid #1d5bc8; outline-offset: 2px; }
  `);

  // Its functions are those of docs/scripting.md; here they give promises.
  class LictorSandbox extends HTMLElement {
    #frame;
    #ready;
    #calls = new Map();
    #count = 0;
    #hear = (event) => this.#take(event);
    #eyes = new IntersectionObserver(([seen]) => seen.isIntersecting || this.#post("pause"));

    constructor() {
      super();
      this.attachShadow({ mode: "open" }).adoptedStyleSheets = [STYLE];
    }

    connectedCallback() {
      this.#showPoster();
      addEventListener("message", this.#hear);
      if (this.hasAttribute("eager")) this.start();
    }

    disconnectedCallback() {
      removeEventListener("message", this.#hear);
      this.#eyes.disconnect();
      this.#fail(new Error("the sandbox was taken out of the page"));
      this.#frame = undefined;
    }

    // Loads the sandbox, once; the promise is kept when it can be used.
    start() {
      if (!this.isConnected) return Promise.reject(new Error("the sandbox is not in the page"));
      this.#ready ??= this.#load();
      return this.#ready.promise;
    }

    get #words() {
      const tag = this.getAttribute("lang") ?? this.closest("[lang]")?.lang ?? navigator.language;
      return WORDS[tag.split("-")[0].toLowerCase()] ?? WORDS.en;
    }

    #showPoster() {
      const poster = document.createElement("div");
      poster.className = "poster";
      poster.append(document.createElement("slot"));
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = this.#words[0];
      button.onclick = () => (this.start(), this.#frame.focus());
      this.shadowRoot.replaceChildren(poster, button);
    }

    #load() {
      const frame = document.createElement("iframe");
      frame.title = this.getAttribute("label") || this.#words[1];
      frame.allow = "clipboard-write";
      frame.src = this.#address();
      this.#frame = frame;
      this.shadowRoot.replaceChildren(frame);
      const ready = Promise.withResolvers();
      // Whoever asks is told; nobody has to.
      ready.promise.catch(() => {});
      return ready;
    }

    #address() {
      const query = new URLSearchParams({ embed: "" });
      for (const name of ASKED) if (this.hasAttribute(name)) query.set(name, this.getAttribute(name));
      const opens = this.getAttribute("opens") ?? "";
      const fragment = opens.includes("#") ? opens.slice(opens.indexOf("#")) : opens && `#story=${opens}`;
      return `${new URL(`?${query}`, PAGE)}${fragment}`;
    }

    #take({ source, origin, data }) {
      if (!this.#frame || source !== this.#frame.contentWindow || origin !== PAGE.origin) return;
      const { lictor, value, error } = data ?? {};
      if (lictor === "ready") this.#begin();
      else if (lictor === "failed") this.#fail(new Error(error));
      else if (lictor === "change") this.dispatchEvent(new Event("change"));
      else {
        const call = this.#calls.get(lictor);
        this.#calls.delete(lictor);
        if (error === undefined) call?.resolve(value);
        else call?.reject(new Error(error));
      }
    }

    #begin() {
      this.#eyes.observe(this);
      this.#ready.resolve(this);
      this.dispatchEvent(new Event("ready"));
    }

    #fail(error) {
      this.#ready?.reject(error);
      this.#ready = undefined;
      for (const { reject } of this.#calls.values()) reject(error);
      this.#calls.clear();
    }

    #post(verb, given = [], number = 0) {
      this.#frame?.contentWindow.postMessage({ lictor: number, verb, given }, PAGE.origin);
    }

    async call(verb, ...given) {
      await this.start();
      return new Promise((resolve, reject) => {
        this.#calls.set(++this.#count, { resolve, reject });
        this.#post(verb, given, this.#count);
      });
    }
  }

  for (const verb of VERBS) {
    LictorSandbox.prototype[verb] = function (...given) {
      return this.call(verb, ...given);
    };
  }
  customElements.define("lictor-sandbox", LictorSandbox);
}
