// What the sources of the package import from elsewhere; only for the check of their types.

declare module "node:fs/promises" {
  export function readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "node:http" {
  export interface IncomingMessage extends AsyncIterable<Uint8Array<ArrayBuffer>> {
    readonly method: string;
    readonly url: string;
    readonly rawHeaders: string[];
    readonly socket: { destroy(): void };
  }
  export interface ServerResponse {
    once(event: "close", listener: () => void): void;
    appendHeader(name: string, value: string): void;
    hasHeader(name: string): boolean;
    writeHead(status: number, headers?: Record<string, string>): void;
    end(body: Uint8Array | string): void;
  }
  export interface Server {
    once(event: "error", listener: (error: Error) => void): void;
    listen(port: number, host: string, listening: () => void): void;
    address(): { address: string; family: string; port: number };
    close(closed: () => void): void;
    closeAllConnections(): void;
  }
  export function createServer(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Server;
}

declare module "msw" {
  export class HttpHandler {
    readonly info: { header: string };
  }
  export const http: {
    all(path: string, answer: (info: { request: Request }) => Promise<Response>): HttpHandler;
  };
}
