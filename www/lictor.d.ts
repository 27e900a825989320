// The types of `window.lictor` (docs/en/use/scripting.md) and of the element in embed.js
// (docs/en/use/embedding.md), which has the same functions; there each returns a promise.
//
// The types of values are generated from desk/src/scripting.rs; a test compares both.

/**
 * One event of the world, in the line language (docs/en/reference/formats.md).
 */
export type TraceLine = { 
/**
 * Virtual time in milliseconds.
 */
At: number, 
/**
 * The index of Consul's log at that time.
 */
Index?: number, 
/**
 * The client, or `server`.
 */
Actor: string, 
/**
 * What happened: `put db/leader acquire=S1`.
 */
What: string, 
/**
 * The result, if it is known: `true lock=1`.
 */
Outcome?: string, };

/**
 * An answer of the server.
 */
export type HttpAnswer = { 
/**
 * The HTTP status.
 */
Status: number, 
/**
 * `X-Consul-Index`, for reads.
 */
Index?: number, 
/**
 * The headers by their names, such as `X-Consul-Index`.
 */
Headers: Record<string, string>, 
/**
 * The decoded JSON body with Consul's field names, or the text of a body that is no JSON.
 */
Body: unknown, };

/**
 * The commands of a text. Lines are counted from 1.
 */
export type Guide = { Steps: Array<GuideStep>, 
/**
 * The values that only the reader can choose, with what they are now.
 */
Questions: Array<GuideQuestion>, 
/**
 * Commands that the console refuses, and why.
 */
LeftOut: Array<GuideLeftOut>, };

/**
 * A command of a guide.
 */
export type GuideStep = { 
/**
 * Its first line.
 */
Line: number, 
/**
 * How many lines it has.
 */
Lines: number, Command: string, };

/**
 * A value that only the reader of a guide can choose.
 */
export type GuideQuestion = { Name: string, Value: string, Label: string, 
/**
 * Whether the value is the name of a client: its session takes the place of an id that the
 * author has written.
 */
IsClient: boolean, };

/**
 * A command of a guide that is no step.
 */
export type GuideLeftOut = { 
/**
 * Its first line.
 */
Line: number, 
/**
 * How many lines it has.
 */
Lines: number, Reason: string, };

/**
 * What became of a step of a guide.
 */
export type GuideStepReport = { 
/**
 * The command with its values.
 */
Command: string, Result: StepResult, Answer: string, 
/**
 * What the answer means, in the language of the page.
 */
Note?: string, };

/**
 * What became of a step.
 */
export type StepResult = "waiting" | "refused" | "done";

/**
 * Why a call failed; every error of these functions has a `code`. The package for JavaScript has
 * the same codes.
 */
export type ErrorCode = "closed" | "invalid-argument" | "not-understood" | "not-possible" | "unreadable";

// The functions and the element, which embed.js and web/src/script define.

export interface LictorError extends Error {
  code: ErrorCode;
}

export interface Lictor {
  /** Performs an action of a client, in the line language; returns the events that follow at once. */
  act(client: string, words: string): TraceLine[];
  /** Advances virtual time by whole milliseconds; returns the events of that time. */
  advance(ms: number): TraceLine[];
  /** Moves the cursor to a time of the past, in whole milliseconds; the branch must reach it. */
  seek(ms: number): void;
  /** The virtual time at the cursor, in milliseconds. */
  now(): number;
  /** Reads `GET target` at the cursor; no client sends it, and it never waits. `S1` in it means that session. */
  read(target: string): HttpAnswer;
  /** Sends a request as a client. Null if it has no answer at this time: a blocking query waits, or the network is
   * slow or cut. `S1` in the target means that session. */
  request(client: string, method: string, target: string, body?: string): HttpAnswer | null;
  /** The trace up to the cursor, one line for each event. The same world gives the same text. */
  trace(): string;
  /** Sends commands as the console accepts them, as a client (default: the selected one). */
  paste(commands: string, client?: string): TraceLine[];
  /** Finds the commands in a text, which becomes the guide of the page. */
  guide(text: string): Guide;
  /** Sets a value of the guide that only its reader can choose, by its name. */
  guideValue(name: string, value: string): void;
  /** Sends a step of the guide, counted from 0, as a client, and lets a second pass. */
  guideStep(step: number, client: string): GuideStepReport;
  /** What became of a step that a client has sent; nothing if it has not sent it up to the cursor. */
  guideAnswer(step: number, client: string): GuideStepReport | undefined;
  /** Starts the page's clock. */
  run(): void;
  /** Stops the page's clock. */
  pause(): void;
  /** Opens a new world with three clients; its server answers as this version of Consul, `1.13` or `1.22`
   * (default: the one that the reader has chosen). */
  newWorld(version?: string): void;
  /** The version of Consul that the server of the open world answers as. */
  version(): string;
  /** Opens a link, or the text of a log file; a world keeps its version of Consul. */
  load(text: string): void;
  /** The current branch as the text of a log file. */
  log(): string;
  /** The current branch as the fragment of a link. */
  toLink(): string;
  /** @deprecated The former name of `read`. */
  ask(target: string): HttpAnswer;
  /** @deprecated The former name of `trace`. */
  story(): string;
  /** @deprecated The former name of `version`. */
  consul(): string;
  /** @deprecated The former name of `toLink`. */
  link(): string;
}

/** The functions of the page, each of which returns a promise. */
export type AsyncLictor = {
  [Name in keyof Lictor]: (...given: Parameters<Lictor[Name]>) => Promise<ReturnType<Lictor[Name]>>;
};

/** The events of the element. */
export interface LictorSandboxEventMap extends HTMLElementEventMap {
  /** The sandbox can be used. */
  ready: Event;
  /** Its world has changed, or the cursor has moved. */
  change: Event;
}

/** `<lictor-sandbox>`; its attributes are in docs/en/use/embedding.md. */
export interface LictorSandboxElement extends HTMLElement, AsyncLictor {
  /** Loads the sandbox, once; resolves when it can be used. */
  start(): Promise<LictorSandboxElement>;
  /** Calls a function by its name. */
  call<Name extends keyof Lictor>(
    name: Name,
    ...given: Parameters<Lictor[Name]>
  ): Promise<ReturnType<Lictor[Name]>>;
  addEventListener<Name extends keyof LictorSandboxEventMap>(
    type: Name,
    listener: (this: LictorSandboxElement, event: LictorSandboxEventMap[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface Window {
    lictor: Lictor;
  }
  interface WindowEventMap {
    /** The functions of `window.lictor` are there. */
    lictor: Event;
  }
  interface HTMLElementTagNameMap {
    "lictor-sandbox": LictorSandboxElement;
  }
}
