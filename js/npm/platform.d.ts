// The types of the platform that the types of this package name. They are empty here, and merge with
// those of TypeScript's lib "DOM" or of @types/node where a program has them.

declare global {
  interface AbortSignal {}
  interface Request {}
  interface RequestInit {}
  interface Response {}
  interface URL {}
  namespace WebAssembly {
    interface Memory {}
    interface Module {}
  }
}

/** A function that sends a request, such as `globalThis.fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
