// Serves the page's functions for scripts to the page that embeds it, by messages: a call has a number, which
// its answer repeats. Changes of the world are reported. Only messages of the parent window are answered.

/**
 * @param {Record<string, (...args: unknown[]) => unknown>} lictor the functions for scripts
 * @param {{ append: (lines: string, position: string) => void }} store
 */
export const serve = (lictor, store) => {
  /** @param {unknown} message */
  const report = (message) => parent.postMessage(message, "*");
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || !Number.isInteger(data?.lictor)) return;
    const { lictor: number, verb, given } = data;
    /** @type {{ lictor: number, value?: unknown, error?: string, code?: string }} */
    const answer = { lictor: number };
    try {
      if (!Object.hasOwn(lictor, verb)) {
        throw Object.assign(new Error(`there is no function ${verb}`), { code: "not-understood" });
      }
      answer.value = lictor[verb](...given);
    } catch (error) {
      answer.error = error instanceof Error ? error.message : `${error}`;
      if (error instanceof Error && "code" in error) answer.code = `${error.code}`;
    }
    parent.postMessage(answer, origin === "null" ? "*" : origin);
  });
  const { append } = store;
  /** @type {string | undefined} */
  let lastPosition;
  store.append = (lines, position) => {
    append(lines, position);
    if (lines || position !== lastPosition) report({ lictor: "change" });
    lastPosition = position;
  };
  report({ lictor: "ready" });
};
