// The bindings that Trunk builds for www/export-worker.js: the program of the package lictor-export.

export default function init(): Promise<unknown>;
export function exportWorld(world: string, format: string): string;
export function fileName(format: string): string;
export function needs(format: string): string;
