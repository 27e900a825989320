// <lictor-guide>: runs the commands of a text that somebody else has written (docs/en/use/embedding.md). It is
// around the text, or anywhere with the id of the text in `for`. Each line that looks like a command gets a row
// with a button after it, and a sandbox beside the text shows what the commands do. The sandbox reads the commands
// and fills in their placeholders; until a reader presses a button, only the script of its element is loaded.

if (!customElements.get("lictor-guide")) {
  const script = document.currentScript;
  const PAGE = new URL("./", script instanceof HTMLScriptElement ? script.src : location.href);
  // The parts that a reader would not copy: buttons, and the line numbers of usual layouts.
  const NOT_COPIED =
    "script, style, template, button, select, textarea, svg, [aria-hidden=true], .linenos, .lineno, .line-number, " +
    ".line-numbers, .line-numbers-rows, .hljs-ln-numbers, .gutter, .ln, lictor-steps";
  // Matches a line that begins a command. The sandbox finds commands by the same expression
  // (desk/src/console/command_start.rs, whose test compares and writes it).
  const COMMAND = new RegExp(
    [
      String.raw`^(?:[ \t]*(?:(?:[-*+•·]|\d+[.)])[ \t]+)?(?:(?:[^ \t'"\x60=|&;<>{}]+[ \t]+){0,4}[^ \t'"\x60=|&;<>{}]*[$#%>❯➜»][ \t]+|➜[ \t]+(?:[^ \t'"\x60=|&;<>{}]+[ \t]+){0,3}|(?:PS[ \t]+)?[A-Za-z]:\\[^>\x60]*>[ \t]*)?\x60?(?:`,
      String.raw`(?:GET|PUT|DELETE|POST|HEAD|PATCH|OPTIONS)[ \t]+[^ \t]*[\/$<]|`,
      String.raw`(?:get|put|delete|post|head|patch|options)[ \t]+\/?v1\/|`,
      String.raw`(?:[A-Za-z_]\w*=[^ \t]*[ \t]+)*(?:(?:[\w.~\/\\-]*[\/\\])?(?:curl|wget)(?:\.exe)?[ \t](?:.*[ \t])?(?:[-–—$<"'\\@]|[^ \t]*\/)|(?:[\w.~\/\\-]*[\/\\])?consul(?:\.exe)?[ \t]+(?:-|(?:acl|agent|catalog|config|connect|debug|event|exec|force-leave|info|intention|join|keygen|keyring|kv|leave|lock|login|logout|maint|members|monitor|operator|peering|reload|resource|rtt|services|session|snapshot|tls|troubleshoot|validate|version|watch)(?:[ \t]|$))|(?:https?|xh)[ \t](?:.*[ \t])?(?::|[^ \t]*\/))|`,
      String.raw`sleep[ \t]+[\x22$\d]|`,
      String.raw`\[\[?[ \t].*[ \t]\]\]?(?:[ \t]*(?:;|&&|\|\|)|[ \t]*$)|`,
      String.raw`(?:\.\.?|~)?\/[\w.\/-]+\.sh(?:[ \t]|$)|`,
      String.raw`(?:function[ \t]+[\w-]+|[A-Za-z_][\w-]*[ \t]*\(\))[ \t]*(?:\(\))?[ \t]*(?:\{|$)|`,
      String.raw`@[A-Za-z_][\w-]*[ \t]*=[ \t]*[^ \t]|`,
      String.raw`(?:while|until)[ \t](?:.*; do(?:[ \t]|$)|[ \t]*(?:true|:|\[|sleep)(?:[ \t;]|$))|`,
      String.raw`(?:for|if)[ \t](?:.*;.*[ \t](?:do|then)(?:[ \t]|$)|.*[ \t](?:do|then)[ \t].*;)|`,
      String.raw`(?:awk|base64|bash|cat|docker|echo|env|export|grep|jq|kubectl|nice|nohup|nomad|podman|printf|python|python3|sed|sh|sleep|source|ssh|sudo|systemctl|tee|time|timeout|trap|vault|watch|xargs)[ \t](?:(?:.*[ \t])?(?:-|[|>][ \t]|(?:(?:[\w.~\/\\-]*[\/\\])?(?:curl|wget)(?:\.exe)?[ \t](?:.*[ \t])?(?:[-–—$<"'\\@]|[^ \t]*\/)|(?:[\w.~\/\\-]*[\/\\])?consul(?:\.exe)?[ \t]+(?:-|(?:acl|agent|catalog|config|connect|debug|event|exec|force-leave|info|intention|join|keygen|keyring|kv|leave|lock|login|logout|maint|members|monitor|operator|peering|reload|resource|rtt|services|session|snapshot|tls|troubleshoot|validate|version|watch)(?:[ \t]|$))|(?:https?|xh)[ \t](?:.*[ \t])?(?::|[^ \t]*\/)))|.*(?:\$|<<|="))|`,
      String.raw`(?:(?:export|local|readonly|declare)[ \t]+)?[A-Za-z_][\w-]*=(?:(?:\x22?(?:\$\(|\x60)|[\x22']).*|[^ \t]+[ \t]*)$|`,
      String.raw`[A-Za-z_][\w-]*[ \t]*<-[ \t]*(?:curl|(?:GET|PUT|DELETE|POST|HEAD|PATCH|OPTIONS)[ \t]+[^ \t]*[\/$<]))|`,
      String.raw`[ \t]*(?:(?:[-*+•·]|\d+[.)])[ \t]+)?\x60?\$[ \t]+[a-z])`,
    ].join(""),
  );
  const CLIENTS = ["web-1", "web-2", "web-3"];
  const TEXTS = {
    en: {
      run: "Run",
      loading: "Loading…",
      as: "Send as",
      panel: "The world of this guide",
      begin: "Run a command to see here what it does.",
      part: "This line is part of the command above it.",
      nobody: "nobody here",
      unloaded: "the sandbox could not be loaded",
    },
    zh: {
      run: "运行",
      loading: "正在加载……",
      as: "发送者",
      panel: "本指南的世界",
      begin: "运行一条命令，就能在这里看到它的作用。",
      part: "这一行属于上面的命令。",
      nobody: "这里没有",
      unloaded: "沙箱无法加载",
    },
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
    form > span { display: contents; }
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
  // Elements that are blocks of their own, never the element of one line in a block of code.
  const APART = "p, li, dt, dd, blockquote, h1, h2, h3, h4, h5, h6";
  // Is appended to the last line of each block in the text for the sandbox: no command continues after it.
  const BLOCK_END = "\f";

  /** A line of the text, the block that contains it, and the place of its end. @typedef {{ text: string, block: Element, end?: { node: Text, offset: number } }} Line */
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
        let offset = 0;
        for (const [number, part] of (isPre ? node.data.split("\n") : [node.data.replace(/\s+/g, " ")]).entries()) {
          if (number) lines.push({ text: "", block });
          const last = lines[lines.length - 1];
          last.text += part;
          offset = isPre ? offset + part.length + Math.min(number, 1) : node.data.length;
          last.end = { node, offset };
        }
        return;
      }
      if (!(node instanceof Element) || node.matches(NOT_COPIED)) return;
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

  /** The block of code to which a line belongs. @param {Line} line */
  const codeOf = ({ block }) => block.closest("pre") ?? block.closest("table") ?? block;

  /** Whether two lines are lines of one block: some layouts have an element for each line. @param {Line} line @param {Line} next */
  const isOneBlock = (line, next) => {
    const [one, other] = [codeOf(line), codeOf(next)];
    if (one === other) return true;
    const isAlike = one.localName === other.localName && one.className === other.className;
    return isAlike && one.parentElement === other.parentElement && !one.matches(`pre, table, ${APART}`);
  };

  /** The last line of a command that begins in this one and that backslashes continue. @param {Line[]} lines @param {number} first */
  const endOf = (lines, first) => {
    let last = first;
    while (last + 1 < lines.length && lines[last].text.trimEnd().endsWith("\\") && isOneBlock(lines[last], lines[last + 1])) last++;
    return last;
  };

  /** The next change of a sandbox. @param {EventTarget} sandbox */
  const changeOf = (sandbox) => new Promise((resolve) => sandbox.addEventListener("change", resolve, { once: true }));

  /** The parts of a command: its lines, its row, and the element that has only this row, if there is one.
   * @typedef {{ first: number, last: number, row: HTMLElement, place?: Element, run?: object }} Row */

  class LictorGuide extends HTMLElement {
    #root = this.attachShadow({ mode: "open" });
    /** @type {any} */
    #sandbox;
    /** @type {Line[]} */
    #lines = [];
    /** The places of the rows after each block of code. @type {Map<Element, ShadowRoot>} */
    #places = new Map();
    /** @type {Map<number, Row>} */
    #rows = new Map();
    /** The values of placeholders: those of the author, and those that the reader has entered. @type {Map<string, string>} */
    #values = new Map();
    #fields = document.createElement("span");
    /** @type {Promise<Guide> | undefined} */
    #guide;
    #client = document.createElement("select");
    #form = document.createElement("form");
    #aside = document.createElement("aside");
    /** The element around the text. @type {Element} */
    #source = this;
    #sizes = new ResizeObserver(() => this.#onScroll());
    /** Renews the rows when another script renders the text again, which drops them. */
    #changes = new MutationObserver((records) => {
      const isOfText = records.some(({ target }) => this.#source.contains(target));
      if (isOfText || this.#present !== this.#source) this.#renewLater();
    });
    #isRenewing = false;
    #isMoving = false;
    #onScroll = () => {
      if (this.#isMoving) return;
      this.#isMoving = true;
      requestAnimationFrame(() => this.#keepInView());
    };

    connectedCallback() {
      for (const event of ["scroll", "resize"]) addEventListener(event, this.#onScroll, { capture: true, passive: true });
      // A text outside of this element can be replaced as a whole.
      const watched = this.hasAttribute("for") ? document : this;
      this.#changes.observe(watched, { childList: true, characterData: true, subtree: true });
      if (this.#root.firstChild) return this.#renewLater();
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
      this.#form.append(label, this.#fields);
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
      loaded(this.#texts.unloaded).catch(() => {});
      this.#root.append(both);
      this.#values = new Map(new URLSearchParams(this.getAttribute("values") ?? ""));
      // A frame that was loaded again has no guide.
      this.#sandbox.addEventListener("ready", () => {
        this.#guide = undefined;
        this.#read().catch(() => {});
      });
      this.#renew();
      if (this.#source !== this.#present) throw new Error(`<lictor-guide> finds no element with the id ${other}`);
    }

    disconnectedCallback() {
      this.#changes.disconnect();
      for (const event of ["scroll", "resize"]) removeEventListener(event, this.#onScroll, { capture: true });
    }

    /** Moves the panel beside the visible part of the text where its sticky position does not: a sticky element
     * does not leave an ancestor that can scroll, and a guide may be far from its text. */
    #keepInView() {
      this.#isMoving = false;
      const aside = this.#aside;
      const now = aside.getBoundingClientRect();
      const moved = Number.parseFloat(aside.style.translate.split(" ")[1] ?? "0") || 0;
      const text = this.#source.getBoundingClientRect();
      const natural = now.top - moved;
      const isInView = text.bottom > 0 && text.top < innerHeight;
      const isBeside = getComputedStyle(aside).bottom === "auto";
      const place = isBeside ? 16 : innerHeight - now.height;
      // The panel stays at the text: it is never above its first line and, inside the guide, never below its last one.
      const last = this.#source === this ? text.bottom - now.height : text.bottom;
      const wanted = isInView ? Math.max(text.top, Math.min(place, last)) : natural;
      const offset = Math.round(wanted - natural);
      aside.style.translate = offset ? `0 ${offset}px` : "";
    }

    get #texts() {
      const tag = this.closest("[lang]:not([lang=''])")?.getAttribute("lang") ?? navigator.language;
      return tag.toLowerCase().startsWith("zh") ? TEXTS.zh : TEXTS.en;
    }

    /** The element around the text as it is now. @returns {Element | null} */
    get #present() {
      const other = this.getAttribute("for");
      return other ? document.getElementById(other) : this;
    }

    #renewLater() {
      if (this.#isRenewing) return;
      this.#isRenewing = true;
      requestAnimationFrame(() => {
        this.#isRenewing = false;
        if (this.isConnected) this.#renew();
      });
    }

    /** Finds the commands of the text, and puts their rows after them. Rows keep their answers if no line changed. */
    #renew() {
      const source = this.#present;
      if (!source) return;
      const lines = linesOf(source);
      const isSame = lines.length === this.#lines.length && lines.every(({ text }, number) => text === this.#lines[number].text);
      const rows = [...this.#rows.values()].sort((one, other) => one.first - other.first);
      const places = [...this.#places.values()].map(({ host }) => host);
      places.push(...rows.flatMap(({ place }) => place ?? []));
      const isInPlace = lines.every(({ block }, number) => block === this.#lines[number]?.block);
      if (isSame && isInPlace && places.every((place) => place.isConnected)) return;
      if (source !== this.#source || !this.#lines.length) {
        this.#sizes.disconnect();
        for (const element of [source, this.#aside]) this.#sizes.observe(element);
      }
      this.#source = source;
      this.#lines = lines;
      for (const place of places) place.remove();
      this.#places.clear();
      this.#rows.clear();
      if (isSame) {
        for (const row of rows) this.#place(Object.assign(row, { place: undefined }));
      } else {
        this.#find();
        if (this.#guide) {
          this.#guide = undefined;
          this.#read().catch(() => {});
        }
      }
      this.#changes.takeRecords();
    }

    /** Adds a button for each line that looks like a command. */
    #find() {
      let covered = -1;
      this.#lines.forEach((line, number) => {
        if (number <= covered || !COMMAND.test(line.text.slice(0, 1000).replaceAll("\u00a0", " "))) return;
        covered = endOf(this.#lines, number);
        this.#row(number, covered);
      });
    }

    /** The row of the command in these lines. @param {number} first @param {number} last */
    #row(first, last) {
      const known = this.#rows.get(first);
      if (known) {
        if (known.place && known.last !== last) this.#insertAfter(known.place, last);
        known.last = last;
        return known.row;
      }
      const row = document.createElement("div");
      const [button, code, output] = ["button", "code", "output"].map((tag) => document.createElement(tag));
      if (button instanceof HTMLButtonElement) button.type = "button";
      button.textContent = this.#texts.run;
      button.setAttribute("aria-label", `${this.#texts.run}: ${this.#lines[first].text.trim()}`);
      button.onclick = () => this.#run(first);
      row.append(button, code, output);
      this.#place({ first, last, row });
      return row;
    }

    /** Puts a row after its block, or after its lines if the block has more than two empty lines. @param {Row} row */
    #place(row) {
      const target = codeOf(this.#lines[row.first]);
      const inBlock = this.#lines.filter((line) => target.contains(line.block));
      const isMixed = inBlock.filter((line) => /^\s*$/.test(line.text)).length > 2 && !!this.#lines[row.last].end;
      const isBefore = (/** @type {Row} */ { first }) => first > row.first && codeOf(this.#lines[first]) === target;
      let root = isMixed ? undefined : this.#places.get(target);
      if (!root) {
        const place = document.createElement("lictor-steps");
        root = place.attachShadow({ mode: "open" });
        root.adoptedStyleSheets = [STEP_STYLE];
        if (isMixed) {
          row.place = place;
          this.#insertAfter(place, row.last);
        } else {
          target.after(place);
          this.#places.set(target, root);
        }
      }
      const next = isMixed ? undefined : [...this.#rows.values()].filter(isBefore).sort((one, other) => one.first - other.first)[0];
      root.insertBefore(row.row, next?.row ?? null);
      this.#rows.set(row.first, row);
    }

    /** Puts an element after a line. @param {Element} place @param {number} number */
    #insertAfter(place, number) {
      const { end } = this.#lines[number];
      if (!end) return;
      const rest = end.node.splitText(end.offset);
      for (const line of this.#lines) {
        if (line !== this.#lines[number] && line.end?.node === end.node && line.end.offset > end.offset) {
          line.end = { node: rest, offset: line.end.offset - end.offset };
        }
      }
      rest.before(place);
    }

    /** Makes the sandbox find the commands, once; after a failure, again. @returns {Promise<Guide>} */
    #read() {
      this.#guide ??= this.#load().catch((error) => {
        this.#guide = undefined;
        throw error;
      });
      return this.#guide;
    }

    /** @returns {Promise<Guide>} */
    async #load() {
      const lines = this.#lines.map((line, number) => {
        const next = this.#lines[number + 1];
        return next && isOneBlock(line, next) ? line.text : line.text + BLOCK_END;
      });
      const guide = await this.#sandbox.guide(lines.join("\n"));
      for (const question of guide.Questions) {
        const value = this.#values.get(question.Name);
        if (value === undefined) continue;
        await this.#sandbox.guideValue(question.Name, value);
        question.Value = value;
      }
      this.#show(guide);
      return guide;
    }

    /** Makes the buttons and fields those of the guide that was read. @param {Guide} guide */
    #show(guide) {
      for (const [number, { Line, Lines }] of guide.Steps.entries()) {
        // Answers name steps by these numbers.
        const label = Object.assign(document.createElement("span"), { textContent: `${number + 1}.` });
        this.#row(Line - 1, Line + Lines - 2).querySelector("button")?.before(label);
      }
      for (const { Line, Lines, Reason } of guide.LeftOut) this.#close(this.#row(Line - 1, Line + Lines - 2), Reason);
      const found = new Set([...guide.Steps, ...guide.LeftOut].map(({ Line }) => Line - 1));
      for (const [line, { row }] of this.#rows) if (!found.has(line)) this.#close(row, this.#texts.part);
      this.#fields.replaceChildren(...guide.Questions.map((question) => this.#field(question)));
      this.#form.hidden = false;
    }

    /** The field for a value that only the reader can choose. @param {Guide["Questions"][number]} question */
    #field({ Name, Value, Label, IsClient }) {
      const label = document.createElement("label");
      const field = document.createElement(IsClient ? "select" : "input");
      if (field instanceof HTMLSelectElement) {
        field.append(new Option(this.#texts.nobody, ""), ...CLIENTS.map((name) => new Option(name)));
      }
      field.value = Value;
      field.onchange = () => {
        this.#values.set(Name, field.value);
        this.#sandbox.guideValue(Name, field.value);
      };
      label.append(Label, field);
      return label;
    }

    /** Disables the button of a row, and shows the reason. @param {HTMLElement} row @param {string} reason */
    #close(row, reason) {
      row.querySelector("button")?.setAttribute("disabled", "");
      this.#report(row.querySelector("output"), "refused", reason);
    }

    /** Sends the steps of a line, up to the first that is refused. A step that waits is followed until its answer is
     * there, and only then does the next one begin. @param {number} line */
    async #run(line) {
      const known = this.#rows.get(line);
      const button = known?.row.querySelector("button");
      if (!known || !button) return;
      const { row } = known;
      // Another press begins a new run, also while a step waits, and ends this one.
      const run = (known.run = {});
      button.disabled = true;
      button.textContent = this.#guide ? this.#texts.run : this.#texts.loading;
      let count = 0;
      try {
        await loaded(this.#texts.unloaded);
        await this.#sandbox.start();
        const { Steps } = await this.#read();
        const client = this.#client.value;
        for (const [number, step] of Steps.entries()) {
          if (step.Line !== line + 1) continue;
          const [code, output] = this.#answer(row, count++);
          /** @type {GuideStepReport} */
          let sent = await this.#sandbox.guideStep(number, client);
          for (;;) {
            if (known.run !== run) return;
            code.textContent = sent.Command;
            this.#report(output, sent.Result, `${client}: ${sent.Answer}`, sent.Note);
            if (sent.Result !== "waiting") break;
            button.disabled = false;
            button.textContent = this.#texts.run;
            await changeOf(this.#sandbox);
            if (known.run !== run) return;
            sent = (await this.#sandbox.guideAnswer(number, client)) ?? sent;
          }
          if (sent.Result === "refused") break;
        }
      } catch (error) {
        this.#report(this.#answer(row, count)[1], "refused", `${error instanceof Error ? error.message : error}`);
      }
      button.textContent = this.#texts.run;
      button.disabled = !!this.#guide && (await this.#guide).Steps.every(({ Line }) => Line !== line + 1);
    }

    /** The elements for an answer of a row; those after it are removed. @param {HTMLElement} row @param {number} number */
    #answer(row, number) {
      const [codes, outputs] = ["code", "output"].map((tag) => [...row.querySelectorAll(tag)]);
      for (const old of [...codes.slice(Math.max(number, 1)), ...outputs.slice(Math.max(number, 1))]) old.remove();
      if (number === 0) return [codes[0], outputs[0]];
      const added = ["code", "output"].map((tag) => document.createElement(tag));
      row.append(...added);
      return added;
    }

    /** @param {Element | null} output @param {string} result @param {string} answer @param {string} [note] */
    #report(output, result, answer, note) {
      const bold = document.createElement("b");
      bold.textContent = answer;
      if (output) output.className = result;
      output?.replaceChildren(bold, note ? ` ${note}` : "");
    }
  }

  /** @type {Promise<unknown> | undefined} */
  let sandbox;
  /** Loads the element of the sandbox, once; after a failure, again. @param {string} [error] */
  const loaded = (error) => {
    const load = () => new Promise((resolve, reject) => {
      const element = document.createElement("script");
      element.src = new URL("embed.js", PAGE).href;
      element.onload = () => (customElements.get("lictor-sandbox") ? resolve(undefined) : element.onerror?.(""));
      element.onerror = () => {
        element.remove();
        sandbox = undefined;
        reject(new Error(error));
      };
      document.head.append(element);
    });
    sandbox ??= customElements.get("lictor-sandbox") ? Promise.resolve() : load();
    return sandbox;
  };

  customElements.define("lictor-guide", LictorGuide);
}
