// Plays the demos of a page: the picture, the facts and the events of each were computed when the book was built.
// This script has no rules about locks: it cuts the two layers of the picture at a time, and shows the texts of that
// time. "Act here" loads the sandbox, which takes the place of the picture at the same time of the same world.
"use strict";

(() => {
  const worlds = [...document.querySelectorAll(".demo-world")];
  if (worlds.length === 0) return;
  const { lang } = document.documentElement;
  const texts = lang === "zh"
    ? { play: "播放", pause: "暂停", again: "再次播放", second: " 秒", at: "", loading: "正在加载……", failed: "无法加载。" }
    : { play: "Play", pause: "Pause", again: "Play again", second: " s", at: "at ", loading: "Loading…", failed: "It could not be loaded." };
  const SVG = "http://www.w3.org/2000/svg";
  // The longest time that a demo plays; a shorter one plays in real time. Without motion, each event is shown for a step.
  const PLAYED_MS = 20_000;
  const STEP_MS = 1500;
  // The pause between two messages for screen readers.
  const SAID_MS = 2000;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const narrow = matchMedia("(max-width: 620px)");
  const players = new Map();

  const svg = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const span = (className, text) => Object.assign(document.createElement("span"), { className, textContent: text });
  /** A time in seconds, cut off to a tenth as in the sandbox. */
  const seconds = (time) => (Math.floor(time / 100) / 10).toFixed(1);

  /** A picture whose lanes are drawn twice: as they look when they are reached, and as they look ahead. */
  class Picture {
    static count = 0;

    constructor(picture) {
      const lanes = picture.querySelector(".all-lanes");
      const ahead = lanes.cloneNode(true);
      ahead.classList.add("is-ahead");
      for (const shape of ahead.querySelectorAll("[data-ahead]")) {
        const { text, ...attributes } = JSON.parse(shape.dataset.ahead);
        for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
        if (text !== undefined) shape.textContent = text;
      }
      lanes.after(ahead);
      const { width, height } = picture.viewBox.baseVal;
      this.width = width;
      [this.past, this.future] = [lanes, ahead].map((layer) => {
        const id = `layer-${Picture.count++}`;
        const rect = svg("rect", { y: 0, height });
        const clip = svg("clipPath", { id });
        clip.append(rect);
        picture.append(clip);
        layer.setAttribute("clip-path", `url(#${id})`);
        return rect;
      });
      // It goes down to the scrubber's thumb.
      this.line = svg("line", { class: "now", y1: 21, y2: height + 26 });
      picture.append(this.line);
      this.ground = picture.querySelector(".shade");
      this.here = picture.querySelector(".here");
      this.time = picture.querySelector(".now-text");
      this.plate = this.time.parentElement;
      this.half = Number(picture.querySelector(".now-plate").getAttribute("width")) / 2;
      const axis = this.plate.parentElement;
      this.from = Number(axis.getAttribute("x"));
      this.axis = Number(axis.getAttribute("width"));
      this.ticks = [...axis.querySelectorAll(".axis-text")].map((text) => {
        const x = parseFloat(text.parentElement.getAttribute("x")) / 100 * this.axis;
        return { text, x, half: text.textContent.length * 4.5 };
      });
    }

    /** Cuts the layers at a share of the axis. */
    show(share, time) {
      const x = `${share * 100}%`;
      const cut = this.from + share * this.axis;
      this.past.setAttribute("width", cut);
      this.future.setAttribute("x", cut);
      this.future.setAttribute("width", this.width - cut);
      for (const end of ["x1", "x2"]) this.line.setAttribute(end, cut);
      this.here.setAttribute("x", x);
      this.ground.setAttribute("x", x);
      this.ground.setAttribute("width", `${(1 - share) * 100}%`);
      // The plate stays in the picture.
      const middle = Math.min(share * this.axis, this.axis + 8 - this.half);
      this.plate.setAttribute("x", `${middle / this.axis * 100}%`);
      this.time.textContent = time;
      for (const tick of this.ticks) {
        tick.text.classList.toggle("is-covered", Math.abs(tick.x - middle) < this.half + tick.half + 4);
      }
    }
  }

  /** The player of one world. */
  class Player {
    // The number of the run that plays; 0 if none does.
    playing = 0;
    freeAt = 0;

    constructor(world) {
      const find = (selector) => world.querySelector(selector);
      this.world = world;
      this.player = find(".player");
      const { end, moments } = JSON.parse(this.player.dataset.playback);
      this.end = end;
      this.moments = moments;
      this.pictures = [...world.querySelectorAll(".demo-picture > svg")].map((it) => new Picture(it));
      this.slider = find("input");
      this.clock = find(".player-time");
      this.facts = find(".player-facts");
      this.at = find(".player-at");
      this.event = find(".player-event p");
      this.status = find(".player-said");
      this.play = find("[data-does=play]");
      this.button = find(".act");
      this.link = find(".demo-foot a");
      // The world of the links without their time.
      this.opens = this.button.dataset.opens.replace(/&[te]=\d+$/, "");
      this.page = this.link.getAttribute("href").split("#")[0];
      world.classList.add("is-played");
      this.slider.oninput = () => this.go(Number(this.slider.value));
      for (const [does, act] of Object.entries({
        back: () => this.step(-1), play: () => this.toggle(), forward: () => this.step(1),
      })) find(`[data-does=${does}]`).onclick = act;
      this.button.onclick = () => this.act();
      world.addEventListener("keydown", (event) => this.key(event));
      this.show(end);
    }

    /** The number of the last moment that a time has reached. */
    reached(time) {
      return this.moments.findLastIndex(([at]) => at <= time);
    }

    /** The time of the next event in a direction; before the first one 0, after the last one the end. */
    next(direction) {
      const times = this.moments.map(([at]) => at);
      return direction < 0
        ? times.findLast((at) => at < this.time) ?? 0
        : times.find((at) => at > this.time) ?? this.end;
    }

    show(time) {
      this.time = Math.max(0, Math.min(time, this.end));
      const share = this.end ? this.time / this.end : 1;
      const text = `${seconds(this.time)}${texts.second}`;
      for (const picture of this.pictures) picture.show(share, text);
      this.world.style.setProperty("--at", `${share * 100}%`);
      this.slider.value = this.time;
      this.slider.setAttribute("aria-valuetext", text);
      this.clock.textContent = text;
      const moment = this.reached(this.time);
      if (moment !== this.moment) this.showMoment(moment);
      const [at] = this.moments[moment] ?? [0];
      const isAt = !this.playing && at === this.time && this.time < this.end;
      for (const element of [this.world, this.player]) element.classList.toggle("is-at-event", isAt);
      this.world.classList.toggle("is-early", this.time < this.end);
      this.at.textContent = isAt ? `${seconds(at)}${texts.second}` : `${texts.at}${seconds(at)}`;
      const opens = this.time < this.end ? `${this.opens}&t=${Math.round(this.time)}` : this.opens;
      this.button.dataset.opens = opens;
      if (!this.playing) this.link.href = `${this.page}${opens}`;
    }

    /** Shows the facts and the events of a moment. */
    showMoment(moment) {
      this.moment = moment;
      const [, facts, events] = this.moments[moment] ?? [0, [], []];
      this.facts.replaceChildren(...facts.map(([badges, text, isWrong]) => {
        const fact = span(isWrong ? "fact is-wrong" : "fact", "");
        fact.append(...badges.map(badge), span("", text));
        return fact;
      }));
      this.event.replaceChildren(...events.map(([before, main, after]) => {
        const event = span("event", before);
        event.append(Object.assign(document.createElement("b"), { textContent: main }), " ", span("note", after));
        return event;
      }));
    }

    /** Announces the present moment to screen readers; of several during a pause, the last one. */
    announce() {
      clearTimeout(this.saying);
      this.saying = setTimeout(() => {
        const [at, facts, events] = this.moments[this.moment] ?? [0, [], []];
        const lines = [...events.map(([before, main, after]) => `${before}${main} ${after}`.trim()), ...facts.map(([, text]) => text)];
        this.status.textContent = `${seconds(at)}${texts.second}: ${lines.join(". ")}`;
        this.freeAt = performance.now() + SAID_MS;
      }, Math.max(0, this.freeAt - performance.now()));
    }

    /** Moves to a time, which ends playing. */
    go(time) {
      this.setPlaying(0);
      this.show(time);
      this.announce();
      release(this.world, this.time);
    }

    step(direction) {
      this.go(this.next(direction));
    }

    toggle() {
      if (this.playing) this.go(this.time);
      else this.start();
    }

    start() {
      if (this.time >= this.end) this.show(0);
      release(this.world);
      this.setPlaying(++Player.runs);
      if (still.matches) this.stepOn(this.playing);
      else this.run(this.playing, performance.now());
    }

    static runs = 0;

    /** Shows the next frame. Time does not advance while the page renders no frames. */
    run(run, last) {
      requestAnimationFrame((now) => {
        if (this.playing !== run) return;
        const speed = Math.max(1, this.end / PLAYED_MS);
        const before = this.moment;
        this.show(this.time + Math.min(now - last, 100) * speed);
        if (this.moment !== before) this.announce();
        if (this.time >= this.end) this.finish();
        else this.run(run, now);
      });
    }

    /** Goes from event to event. */
    stepOn(run) {
      setTimeout(() => {
        if (this.playing !== run) return;
        this.show(this.next(1));
        this.announce();
        if (this.time >= this.end) this.finish();
        else this.stepOn(run);
      }, STEP_MS);
    }

    pause() {
      if (!this.playing) return;
      this.setPlaying(0);
      this.show(this.time);
    }

    finish() {
      this.setPlaying(0, true);
      this.show(this.end);
    }

    setPlaying(run, hasEnded = false) {
      this.playing = run;
      this.player.classList.toggle("is-playing", run > 0);
      this.play.title = this.play.ariaLabel = run ? texts.pause : hasEnded ? texts.again : texts.play;
    }

    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey || this.world.classList.contains("is-acting")) return;
      const keys = {
        ArrowLeft: () => event.shiftKey ? this.go(this.time - 1000) : this.step(-1),
        ArrowRight: () => event.shiftKey ? this.go(this.time + 1000) : this.step(1),
        ArrowDown: () => this.step(-1),
        ArrowUp: () => this.step(1),
        Home: () => this.go(0),
        End: () => this.go(this.end),
      };
      // Elsewhere the space bar presses a button or scrolls.
      if (event.target === this.slider) keys[" "] = () => this.toggle();
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") return;
      if (!Object.hasOwn(keys, event.key)) return;
      event.preventDefault();
      // The book turns its pages with these keys.
      event.stopPropagation();
      keys[event.key]();
    }

    /** Loads the sandbox, and puts it in the place of the picture when it is at the same time. */
    async act() {
      this.pause();
      const { button, world } = this;
      const name = button.textContent;
      button.parentElement.querySelector("[role=status]")?.remove();
      button.disabled = true;
      button.textContent = texts.loading;
      let sandbox;
      try {
        await load();
        sandbox = this.sandbox();
        const { time } = this;
        world.append(sandbox);
        await sandbox.start();
        if (this.time !== time) await sandbox.seek(this.time);
        this.pause();
        sandbox.classList.remove("is-loading");
        world.classList.add("is-acting");
        sandbox.focus();
        sandbox.addEventListener("change", async () => release(world, await sandbox.now()));
      } catch {
        sandbox?.remove();
        script = undefined;
        const failure = span("", texts.failed);
        failure.setAttribute("role", "status");
        button.after(failure);
      }
      button.disabled = false;
      button.textContent = name;
    }

    sandbox() {
      const sandbox = document.createElement("lictor-sandbox");
      const { opens, lanes } = this.button.dataset;
      const theme = document.documentElement.classList.contains("navy") ? "dark" : "light";
      const show = narrow.matches ? "lanes facts time" : "lanes facts time why";
      const label = this.world.closest(".demo").querySelector("figcaption b").textContent;
      for (const [key, value] of Object.entries({ opens, lanes, eager: "", lang, show, label, theme })) {
        sandbox.setAttribute(key, value);
      }
      sandbox.tabIndex = -1;
      sandbox.className = "is-loading";
      // Room for its lanes, and for the parts above and below them.
      const picture = this.world.querySelector(".demo-picture");
      sandbox.style.height = `${Math.max(this.world.offsetHeight, Math.min(picture.offsetHeight + 260, 520))}px`;
      return sandbox;
    }

    /** Moves the player, or the sandbox that has taken its place. A world that was changed may end earlier. */
    seek(time) {
      const sandbox = this.world.querySelector("lictor-sandbox:not(.is-loading)");
      if (sandbox) sandbox.seek(time).catch(() => {});
      else this.go(time);
    }
  }

  /** A badge of a session, as the picture has it. */
  function badge([label, hue, pattern]) {
    const width = label.length > 1 ? 24 : 18;
    const drawing = svg("svg", { class: "lanes-picture badge", width, height: 18, "aria-hidden": "true" });
    const group = svg("g", { class: hue });
    const whole = { width: "100%", height: "100%", rx: 2 };
    group.append(svg("rect", { class: "bar", ...whole }));
    if (pattern) group.append(svg("rect", { fill: pattern, ...whole }));
    const text = svg("text", { class: "bar-text", x: width / 2, y: 13.5, "text-anchor": "middle" });
    text.textContent = label;
    group.append(text);
    drawing.append(group);
    return drawing;
  }

  // The sandbox: one script, which is loaded when a reader first wants to act.
  const site = new URL(lang === "zh" ? "../../" : "../", new URL(path_to_root, location.href)).href;
  let script;
  const load = () => (script ??= new Promise((loaded, failed) => {
    const element = document.createElement("script");
    Object.assign(element, { src: `${site}embed.js`, onload: loaded, onerror: failed });
    document.head.append(element);
  }));

  // A time in a sentence: while a reader points at it, its place in the picture is lit. A press keeps it lit, and
  // moves the demo to this time, until the reader moves the demo to another one.
  const figureOf = (place) => document.getElementById(place.hash.slice(1));
  const playerOf = (place) => players.get(figureOf(place).querySelector(".demo-world:not([hidden])"));
  const timeOf = (place, world) => JSON.parse(place.dataset.times)[Number(world.dataset.choice ?? 0)];
  const light = () => {
    for (const band of document.querySelectorAll(".band.is-lit")) band.classList.remove("is-lit");
    for (const place of document.querySelectorAll("a.place:is(:hover, :focus-visible, [aria-current])")) {
      const bands = figureOf(place).querySelectorAll(`[data-band="${place.dataset.band}"]`);
      for (const band of bands) band.classList.add("is-lit");
    }
  };
  /** A world is at a time now, or plays: a sentence about another time is no longer current. */
  function release(world, time) {
    const place = document.querySelector("a.place[aria-current]");
    if (!place || !figureOf(place).contains(world) || time === timeOf(place, world)) return;
    place.removeAttribute("aria-current");
    light();
  }
  for (const place of document.querySelectorAll("a.place")) {
    for (const event of ["pointerenter", "pointerleave", "focus", "blur"]) place.addEventListener(event, light);
    place.onclick = (event) => {
      event.preventDefault();
      const isCurrent = place.hasAttribute("aria-current");
      document.querySelector("a.place[aria-current]")?.removeAttribute("aria-current");
      if (!isCurrent) {
        place.setAttribute("aria-current", "true");
        const player = playerOf(place);
        const { world } = player;
        (world.querySelector("lictor-sandbox") ?? world).scrollIntoView({ block: "nearest" });
        player.seek(timeOf(place, world));
      }
      light();
    };
  }

  for (const world of worlds) players.set(world, new Player(world));

  // Another value has another world, which is at the same time, or at the time of the current sentence.
  for (const select of document.querySelectorAll('.setting select[data-group^="demo-"]')) {
    select.addEventListener("change", () => {
      const figure = document.getElementById(select.dataset.group);
      const own = worlds.filter((world) => figure.contains(world)).map((world) => players.get(world));
      const before = own.find((player) => player.isShown);
      const shown = own.find(({ world }) => !world.hidden);
      for (const player of own) player.isShown = player === shown;
      if (!before || before === shown) return;
      before.pause();
      const place = document.querySelector("a.place[aria-current]");
      if (place && figureOf(place) === figure) shown.seek(timeOf(place, shown.world));
      else shown.show(before.time >= before.end ? shown.end : before.time);
    });
  }
  for (const player of players.values()) player.isShown = !player.world.hidden;
})();
