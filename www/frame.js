// The page in a page of somebody else: answers what www/embed.js asks of it, and tells that something
// has changed.

export const serve = (lictor, keeper) => {
  const tell = (message) => parent.postMessage(message, "*");
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || !Number.isInteger(data?.lictor)) return;
    const { lictor: number, verb, given } = data;
    const answer = { lictor: number };
    try {
      if (!Object.hasOwn(lictor, verb)) throw new Error("scripts have no such word");
      answer.value = lictor[verb](...given);
    } catch (error) {
      answer.error = `${error.message}`;
    }
    source.postMessage(answer, origin === "null" ? "*" : origin);
  });
  const { add } = keeper;
  let last;
  keeper.add = (lines, place) => {
    add(lines, place);
    if (lines || place !== last) tell({ lictor: "change" });
    last = place;
  };
  tell({ lictor: "ready" });
};
