// Whether two clients acted under one lock at once, and whether that is allowed: somebody else had ended the hold.

/** How far apart the clocks of two processes are at most, in microseconds. */
const SLACK = 20_000;

/** The holds in a file of acts, in the order of their first act. */
export function holdsIn(text) {
  const holds = new Map();
  for (const line of text.split("\n").filter(Boolean)) {
    const [client, session, lockDelay, at] = line.split(" ");
    const begun = { client, session, lockDelay: Number(lockDelay), first: Number(at), acts: 0 };
    const hold = holds.get(session) ?? begun;
    holds.set(session, { ...hold, last: Number(at), acts: hold.acts + 1 });
  }
  return [...holds.values()].sort((one, other) => one.first - other.first);
}

/**
 * The overlaps of holds, with how long both acted, in microseconds. One is allowed if somebody ended
 * the first hold otherwise than by its TTL: at most a TTL after that, and never if its session was
 * destroyed and had a lock-delay of at least the TTL.
 * @param {ReturnType<typeof holdsIn>} holds
 * @param {{ at: number, session: string, kind: "destroy" | "release" | "delete" }[]} interventions
 * @param {number} ttl in microseconds
 */
export function overlapsOf(holds, interventions, ttl) {
  return holds.flatMap((second, at) =>
    holds.slice(0, at).flatMap((first) => {
      const span = first.last - second.first;
      if (span <= SLACK) return [];
      const isAllowed = interventions.some(
        ({ at, session, kind }) =>
          session === first.session &&
          at <= second.first + SLACK &&
          first.last <= at + ttl + SLACK &&
          (kind !== "destroy" || first.lockDelay * 1_000 < ttl),
      );
      return [{ first, second, span, isAllowed }];
    }),
  );
}
