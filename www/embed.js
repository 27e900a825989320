// <lictor-sandbox>: the sandbox in a page of somebody else (docs/embedding.md). Until somebody asks for
// it nothing is loaded: the element shows what stands in it, and a button. It is no module: a module of
// another origin would need that origin's leave.

if (!customElements.get("lictor-sandbox")) {
  const PAGE = new URL("./", document.currentScript.src);
  // What the page reads from its address, beside the language.
  const ASKED = ["show", "lanes", "theme"];
  const VERBS = ["act", "advance", "ask", "link", "load", "log", "now", "paste", "pause", "run", "seek", "story"];
  const WORDS = {
    en: { run: "Run this", loading: "Loading", name: "Lictor sandbox" },
    zh: { run: "运行", loading: "正在加载", name: "Lictor 沙盒" },
  };
  // A frame that says nothing for so long after it was loaded holds no sandbox.
  const SILENT_MS = 15000;
  const GONE = "the sandbox is not in the page";

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

  // Its functions are those of docs/scripting.md; here they give promises.
  class LictorSandbox extends HTMLElement {
    #frame;
    #ready;
    #button = document.createElement("button");
    #poster = document.createElement("div");
    #trouble = document.createElement("p");
    #calls = new Map();
    #count = 0;
    #wasSeen = false;
    #hear = (event) => this.#take(event);
    #eyes = new IntersectionObserver((seen) => this.#look(seen.at(-1).isIntersecting));

    constructor() {
      super();
      this.attachShadow({ mode: "open" }).adoptedStyleSheets = [STYLE];
      this.#button.type = "button";
      this.#button.onclick = () => this.start();
      this.#trouble.setAttribute("role", "alert");
      this.#poster.append(document.createElement("slot"), this.#trouble);
    }

    connectedCallback() {
      this.#showPoster("");
      addEventListener("message", this.#hear);
      if (this.hasAttribute("eager")) this.start();
    }

    // Without it a move within the page would be an end and a beginning.
    connectedMoveCallback() {}

    disconnectedCallback() {
      removeEventListener("message", this.#hear);
      this.#end(new Error(GONE));
    }

    // Loads the sandbox, once; the promise is kept when it can be used.
    start() {
      if (!this.isConnected) return Promise.reject(new Error(GONE));
      this.#ready ??= this.#load();
      return this.#ready.promise;
    }

    // That of the text around it, if it has one of ours.
    get #language() {
      const tag = this.closest("[lang]:not([lang=''])")?.lang ?? navigator.language;
      const language = tag.split("-")[0].toLowerCase();
      return Object.hasOwn(WORDS, language) ? language : "en";
    }

    get #words() {
      return WORDS[this.#language];
    }

    #showPoster(trouble) {
      const label = this.getAttribute("label");
      this.#trouble.textContent = trouble;
      this.#button.textContent = this.#words.run;
      this.#button.ariaLabel = label && `${this.#words.run}: ${label}`;
      this.shadowRoot.replaceChildren(this.#poster, this.#button);
    }

    #load() {
      const ready = Promise.withResolvers();
      // Whoever asks is told; nobody has to.
      ready.promise.catch(() => {});
      const frame = document.createElement("iframe");
      frame.title = this.getAttribute("label") || this.#words.name;
      frame.allow = "clipboard-write";
      frame.referrerPolicy = "no-referrer";
      frame.src = this.#address();
      const silent = () => this.#ready === ready && !this.#isReady && this.#fail(new Error("no sandbox answers"));
      frame.onload = () => setTimeout(silent, SILENT_MS);
      this.#frame = frame;
      this.#button.textContent = this.#words.loading;
      this.#button.ariaLabel = null;
      this.#trouble.textContent = "";
      this.shadowRoot.append(frame);
      return ready;
    }

    #address() {
      const query = new URLSearchParams({ embed: "", lang: this.#language });
      for (const name of ASKED) if (this.hasAttribute(name)) query.set(name, this.getAttribute(name));
      const opens = (this.getAttribute("opens") ?? "").trim();
      const fragment = opens.includes("#") ? opens.slice(opens.indexOf("#")) : opens && `#story=${opens}`;
      return `${new URL(`?${query}`, PAGE)}${fragment}`;
    }

    get #isReady() {
      return !!this.#frame && !this.#poster.isConnected;
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

    // Also when its reader has loaded the frame again.
    #begin() {
      this.#reject(new Error("the sandbox began anew"));
      const hadFocus = this.shadowRoot.activeElement === this.#button;
      this.#poster.remove();
      this.#button.remove();
      // Only what is seen takes it.
      if (hadFocus) this.#frame.focus();
      this.#eyes.observe(this);
      this.#ready.resolve(this);
      this.dispatchEvent(new Event("ready"));
    }

    #fail(error) {
      this.#end(error);
      this.#showPoster(error.message);
    }

    #end(error) {
      this.#ready?.reject(error);
      this.#reject(error);
      this.#eyes.disconnect();
      this.#wasSeen = false;
      this.#ready = this.#frame = undefined;
    }

    #reject(error) {
      for (const { reject } of this.#calls.values()) reject(error);
      this.#calls.clear();
    }

    // Time stops where nobody sees it any more.
    #look(isSeen) {
      if (this.#wasSeen && !isSeen) this.#post("pause", [], 0);
      this.#wasSeen = isSeen;
    }

    #post(verb, given, number) {
      this.#frame.contentWindow.postMessage({ lictor: number, verb, given }, PAGE.origin);
    }

    async call(verb, ...given) {
      await this.start();
      return new Promise((resolve, reject) => {
        if (!this.#isReady) return reject(new Error(GONE));
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
