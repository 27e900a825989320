// <lictor-guide>: runs the commands of a text that somebody else has written (docs/en/use/embedding.md). It stands
// around the text, or anywhere with the id of the text in `for`. The text does not change: each command gets a
// row with a button, and the sandbox beside it shows what the commands do. The sandbox finds the commands and
// fills in their placeholders; until a reader presses a button, nothing is loaded.

if (!customElements.get("lictor-guide")) {
  const script = document.currentScript;
  const PAGE = new URL("./", script instanceof HTMLScriptElement ? script.src : location.href);
  // What a reader would not copy: buttons, and numbers of lines in the usual layouts.
  const NO_TEXT =
    "script, style, template, button, select, textarea, svg, [aria-hidden=true], .linenos, .lineno, .line-number, " +
    ".line-numbers, .line-numbers-rows, .hljs-ln-numbers, .gutter, .ln";
  // A guess that needs no sandbox: it decides where the first buttons are.
  const COMMAND = /^\s*(?:[$#>%]\s+)?(?:[A-Za-z_]\w*="?\$\(\s*)?(?:curl|consul (?:kv|lock|exec|watch))\s/;
  const CLIENTS = ["web-1", "web-2", "web-3"];
  const TEXTS = {
    en: { run: "Run", loading: "Loading…", as: "Send as", panel: "The world of this guide", begin: "Run a command to see here what it does." },
    zh: { run: "运行", loading: "正在加载……", as: "发送者", panel: "本指南的世界", begin: "运行一条命令，就能在这里看到它的作用。" },
  };

  const COLOURS = `
    :host { --edge: light-dark(#7f8896, #707b8a); --hairline: light-dark(#dde1e7, #29303a); --text-2: light-dark(#434c58, #b6bfca);
            --bad: light-dark(#bf2029, #ff8f8f); --good: light-dark(#1b6e43, #6fd69f); }
    button, select, input { min-height: 32px; padding: 0 12px; border: 1px solid var(--edge); border-radius: 4px; background: Canvas;
                            color: CanvasText; font: inherit; }
    button { cursor: pointer; }
    button:disabled { color: var(--text-2); cursor: default; }
    :is(button, select, input):focus-visible { outline: 2px solid light-dark(#1d5bc8, #82b0ff); outline-offset: 1px; }
  `;
  const STYLE = new CSSStyleSheet();
  STYLE.replaceSync(`
    ${COLOURS}
    :host { display: block; container-type: inline-size; }
    :host([hidden]) { display: none; }
    .text { min-width: 0; }
    aside { display: flex; flex-direction: column; position: sticky; bottom: 0; z-index: 1; background: Canvas; color: CanvasText; }
    form { display: flex; flex: 0 1 auto; flex-wrap: wrap; gap: 8px 16px; max-height: 96px; padding: 8px 0; overflow: auto;
           font: 14px/20px system-ui, sans-serif; }
    label { display: flex; gap: 8px; align-items: center; min-width: 0; }
    input { width: 12ch; padding: 0 8px; }
    aside { max-height: min(400px, 50vh); }
    lictor-sandbox { flex: 1 1 auto; height: 320px; min-height: 0; }
    /* In pixels: some sites give the root another font size. */
    @container (min-width: 1040px) {
      div.both { display: grid; grid-template-columns: minmax(0, 1fr) minmax(416px, 704px); gap: 32px; align-items: start; }
      div.both > .text { overflow-x: auto; }
      div.both > aside { top: 16px; bottom: auto; height: min(720px, 100vh - 32px); max-height: none; }
      div.both lictor-sandbox { height: auto; }
    }
    @media print { aside { display: none; } }
  `);
  const STEP_STYLE = new CSSStyleSheet();
  STEP_STYLE.replaceSync(`
    ${COLOURS}
    :host { display: block; margin: 4px 0 12px; font: 14px/20px system-ui, sans-serif; white-space: normal; text-align: start; }
    div { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; padding: 2px 0; }
    code { min-width: 0; flex: 1 1 16rem; color: var(--text-2); font: 12.5px/18px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
           overflow-wrap: anywhere; }
    output { flex: 1 0 100%; overflow-wrap: anywhere; }
    output:empty { display: none; }
    .refused b { color: var(--bad); }
    .done b { color: var(--good); }
    @media print { :host { display: none; } }
  `);

  /** A line of the text: where it is, and where it ends. @typedef {{ text: string, block: Element, end?: { node: Text, offset: number } }} Line */
  /** @import { Guide, GuideStepReport } from "./lictor.d.ts" */

  /** The lines of an element as a reader would copy them. @param {Element} root */
  const linesOf = (root) => {
    /** @type {Line[]} */
    const lines = [{ text: "", block: root }];
    /** @param {Element} block */
    const begin = (block) => {
      const last = lines[lines.length - 1];
      if (last.text.trim()) lines.push({ text: "", block });
      else last.block = block;
    };
    /** @param {Node} node @param {Element} block @param {boolean} isPre */
    const walk = (node, block, isPre) => {
      if (node instanceof Text) {
        let at = 0;
        for (const [number, part] of (isPre ? node.data.split("\n") : [node.data.replace(/\s+/g, " ")]).entries()) {
          if (number) lines.push({ text: "", block });
          const last = lines[lines.length - 1];
          last.text += part;
          at = isPre ? at + part.length + Math.min(number, 1) : node.data.length;
          last.end = { node, offset: at };
        }
        return;
      }
      if (!(node instanceof Element) || node.matches(NO_TEXT)) return;
      const style = getComputedStyle(node);
      if (style.userSelect === "none") return;
      if (node.localName === "br") return void lines.push({ text: "", block });
      const isBlock = !/^(inline|contents|ruby)/.test(style.display);
      const inside = isBlock ? node : block;
      if (isBlock) begin(node);
      for (const child of [...node.childNodes]) walk(child, inside, style.whiteSpaceCollapse !== "collapse" && style.whiteSpace !== "normal");
      if (isBlock) begin(block);
    };
    walk(root, root, false);
    return lines;
  };

  /** The last line of a command that begins in this one. @param {Line[]} lines @param {number} first */
  const endOf = (lines, first) => {
    let last = first;
    let quotes = 0;
    for (; last < lines.length; last++) {
      quotes += lines[last].text.split("'").length - 1;
      if (quotes % 2 === 0 && !lines[last].text.trimEnd().endsWith("\\")) break;
    }
    return Math.min(last, lines.length - 1);
  };

  class LictorGuide extends HTMLElement {
    #root = this.attachShadow({ mode: "open" });
    /** @type {any} */
    #sandbox;
    /** @type {Line[]} */
    #lines = [];
    /** The rows of each block, and the blocks in which commands are mixed with other text. @type {Map<Element, ShadowRoot>} */
    #places = new Map();
    /** @type {Map<number, HTMLElement>} */
    #rows = new Map();
    /** @type {Promise<Guide> | undefined} */
    #guide;
    #client = document.createElement("select");
    #form = document.createElement("form");
    #aside = document.createElement("aside");
    /** The element around the text. @type {Element} */
    #source = this;
    #sizes = new ResizeObserver(() => this.#onScroll());
    #isDue = false;
    #onScroll = () => {
      if (this.#isDue) return;
      this.#isDue = true;
      requestAnimationFrame(() => this.#keepInView());
    };

    connectedCallback() {
      for (const event of ["scroll", "resize"]) addEventListener(event, this.#onScroll, { capture: true, passive: true });
      if (this.#lines.length) return;
      this.#root.adoptedStyleSheets = [STYLE];
      const [both, text] = ["div", "div"].map((tag) => document.createElement(tag));
      const aside = this.#aside;
      const other = this.getAttribute("for");
      text.className = "text";
      text.append(document.createElement("slot"));
      both.className = other ? "" : "both";
      aside.setAttribute("aria-label", this.#texts.panel);
      both.append(...(other ? [] : [text]), aside);
      this.#client.append(...CLIENTS.map((name) => new Option(name)));
      const label = document.createElement("label");
      label.append(this.#texts.as, this.#client);
      this.#form.append(label);
      this.#form.onsubmit = (event) => event.preventDefault();
      this.#form.hidden = true;
      this.#sandbox = document.createElement("lictor-sandbox");
      // The sandbox is in a shadow root, where it does not find the language of the text.
      this.#sandbox.setAttribute("lang", this.#texts === TEXTS.zh ? "zh" : "en");
      for (const name of ["show", "lanes", "theme", "consul", "label"]) {
        const value = this.getAttribute(name);
        if (value !== null) this.#sandbox.setAttribute(name, value);
      }
      const begin = document.createElement("p");
      begin.textContent = this.#texts.begin;
      this.#sandbox.append(begin);
      aside.append(this.#form, this.#sandbox);
      loaded().catch(() => {});
      this.#root.append(both);
      this.#sandbox.addEventListener("ready", () => this.#read());
      this.#find(other ? document.getElementById(other) : this);
    }

    disconnectedCallback() {
      for (const event of ["scroll", "resize"]) removeEventListener(event, this.#onScroll, { capture: true });
    }

    /** Moves the panel beside the part of the text that is in view, where the layout of the page does not: an ancestor
     * that could scroll holds what is sticky, and a guide may be far from its text. */
    #keepInView() {
      this.#isDue = false;
      const aside = this.#aside;
      const now = aside.getBoundingClientRect();
      const moved = Number.parseFloat(aside.style.translate.split(" ")[1] ?? "0") || 0;
      const text = this.#source.getBoundingClientRect();
      const natural = now.top - moved;
      const isInView = text.bottom > 0 && text.top < innerHeight;
      const isBeside = getComputedStyle(aside).bottom === "auto";
      const place = isBeside ? 16 : innerHeight - now.height;
      // It stays at the text: it neither comes before its first line nor, inside the guide, leaves it.
      const last = this.#source === this ? text.bottom - now.height : text.bottom;
      const wanted = isInView ? Math.max(text.top, Math.min(place, last)) : natural;
      const offset = Math.round(wanted - natural);
      aside.style.translate = offset ? `0 ${offset}px` : "";
    }

    get #texts() {
      const tag = this.closest("[lang]:not([lang=''])")?.getAttribute("lang") ?? navigator.language;
      return tag.toLowerCase().startsWith("zh") ? TEXTS.zh : TEXTS.en;
    }

    /** Adds a button for each line that looks like a command. @param {Element | null} source */
    #find(source) {
      if (!source) throw new Error(`<lictor-guide> finds no element with the id ${this.getAttribute("for")}`);
      this.#source = source;
      for (const element of [source, this.#aside]) this.#sizes.observe(element);
      this.#lines = linesOf(source);
      let covered = -1;
      this.#lines.forEach((line, number) => {
        if (number <= covered || !COMMAND.test(line.text)) return;
        covered = endOf(this.#lines, number);
        this.#row(number, covered);
      });
    }

    /** The row of the command in these lines. @param {number} first @param {number} last */
    #row(first, last) {
      const known = this.#rows.get(first);
      if (known) return known;
      const row = document.createElement("div");
      const [button, code, output] = ["button", "code", "output"].map((tag) => document.createElement(tag));
      if (button instanceof HTMLButtonElement) button.type = "button";
      button.textContent = this.#texts.run;
      button.setAttribute("aria-label", `${this.#texts.run}: ${this.#lines[first].text.trim()}`);
      button.onclick = () => this.#run(first);
      row.append(button, code, output);
      this.#place(first, last).append(row);
      this.#rows.set(first, row);
      return row;
    }

    /** Where the row of a command belongs: behind its block, or behind its lines if the block contains other text. */
    /** @param {number} first @param {number} last */
    #place(first, last) {
      const { block } = this.#lines[first];
      const target = block.closest("pre") ?? block.closest("table") ?? block;
      const { end } = this.#lines[last];
      const inBlock = this.#lines.filter((line) => target.contains(line.block));
      const isMixed = inBlock.filter((line) => /^\s*$/.test(line.text)).length > 2 && !!end;
      const known = isMixed ? undefined : this.#places.get(target);
      if (known) return known;
      const place = document.createElement("lictor-steps");
      const root = place.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [STEP_STYLE];
      if (!isMixed) {
        target.after(place);
        this.#places.set(target, root);
        return root;
      }
      const rest = end.node.splitText(end.offset);
      for (const line of this.#lines) {
        if (line !== this.#lines[last] && line.end?.node === end.node && line.end.offset > end.offset) {
          line.end = { node: rest, offset: line.end.offset - end.offset };
        }
      }
      rest.before(place);
      return root;
    }

    /** Lets the sandbox find the commands, once. @returns {Promise<Guide>} */
    #read() {
      const text = this.#lines.map((line) => line.text).join("\n");
      const read = this.#guide ?? this.#sandbox.guide(text).then((/** @type {Guide} */ guide) => (this.#show(guide), guide));
      this.#guide = read;
      return read;
    }

    /** Makes the buttons and fields those of the guide that was read. @param {Guide} guide */
    #show(guide) {
      const found = new Set([...guide.Steps, ...guide.LeftOut].map(({ Line }) => Line - 1));
      for (const [line, row] of this.#rows) if (!found.has(line)) row.remove();
      for (const [number, { Line, Lines }] of guide.Steps.entries()) {
        // Answers name steps by these numbers.
        this.#row(Line - 1, Line + Lines - 2).prepend(Object.assign(document.createElement("span"), { textContent: `${number + 1}.` }));
      }
      for (const { Line, Lines, Reason } of guide.LeftOut) {
        const row = this.#row(Line - 1, Line + Lines - 2);
        row.querySelector("button")?.setAttribute("disabled", "");
        this.#say(row, "refused", Reason);
      }
      for (const { Name, Value } of guide.Questions) {
        const [label, field] = [document.createElement("label"), document.createElement("input")];
        field.value = Value;
        field.onchange = () => this.#sandbox.guideValue(Name, field.value);
        label.append(Name, field);
        this.#form.append(label);
      }
      this.#form.hidden = false;
    }

    /** Sends the steps of a line. @param {number} line */
    async #run(line) {
      const row = this.#rows.get(line);
      const button = row?.querySelector("button");
      if (!row || !button) return;
      button.disabled = true;
      button.textContent = this.#guide ? this.#texts.run : this.#texts.loading;
      try {
        await loaded();
        await this.#sandbox.start();
        const { Steps } = await this.#read();
        for (const [number, step] of Steps.entries()) {
          if (step.Line !== line + 1) continue;
          /** @type {GuideStepReport} */
          const sent = await this.#sandbox.guideStep(number, this.#client.value);
          const code = row.querySelector("code");
          if (code) code.textContent = sent.Command;
          this.#say(row, sent.Result, `${this.#client.value}: ${sent.Answer}`, sent.Note);
        }
      } catch (error) {
        this.#say(row, "refused", `${error instanceof Error ? error.message : error}`);
      }
      button.disabled = false;
      button.textContent = this.#texts.run;
    }

    /** @param {HTMLElement} row @param {string} result @param {string} answer @param {string} [note] */
    #say(row, result, answer, note) {
      const bold = document.createElement("b");
      bold.textContent = answer;
      row.className = result;
      row.querySelector("output")?.replaceChildren(bold, note ? ` ${note}` : "");
    }
  }

  /** @type {Promise<unknown> | undefined} */
  let sandbox;
  /** Loads the element of the sandbox, once. */
  const loaded = () => {
    sandbox ??= customElements.get("lictor-sandbox") ? Promise.resolve() : new Promise((resolve, reject) => {
      const element = document.createElement("script");
      element.src = new URL("embed.js", PAGE).href;
      element.onload = resolve;
      element.onerror = () => (sandbox = undefined, reject(new Error("the sandbox could not be loaded")));
      document.head.append(element);
    });
    return sandbox;
  };

  customElements.define("lictor-guide", LictorGuide);
}
