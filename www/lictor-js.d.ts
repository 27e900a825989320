// The bindings that Trunk builds for www/incident-worker.js: the package lictor-js with its feature `incident`.

export default function init(): Promise<unknown>;
export function readIncident(
  texts: { name: string; text: string; clockOffset: number; patterns?: string[] }[],
  at: string,
  now: string,
  redact: boolean,
  progress: (share: number) => void,
): string;
