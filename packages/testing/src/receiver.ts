import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request, with the exact bytes of its body. */
export type ReceivedRequest = {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** When its last byte arrived: milliseconds since 1970. */
  readonly receivedAt: number;
};

/** An answer: a status, `hang` (never answers), `drop` (closes the connection), or a function. */
export type ReceiverStep =
  | number
  | 'hang'
  | 'drop'
  | ((response: ServerResponse, request: ReceivedRequest) => void);

/** A webhook endpoint on loopback that answers by script and keeps every request. */
export type Receiver = {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Queues answers for the next requests to `path`. Without a queued answer it is 200. */
  script(path: string, ...steps: ReceiverStep[]): void;
  /** Closes every connection, including those that hang. */
  dropConnections(): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts a receiver on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const scripts = new Map<string, ReceiverStep[]>();
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request: ReceivedRequest = {
        path: incoming.url ?? '/',
        method: incoming.method ?? '',
        headers: incoming.headers,
        body: Buffer.concat(chunks),
        receivedAt: Date.now(),
      };
      requests.push(request);
      answer(scripts.get(request.path)?.shift() ?? 200, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (path, ...steps) => {
      scripts.set(path, [...(scripts.get(path) ?? []), ...steps]);
    },
    dropConnections: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(step: ReceiverStep, response: ServerResponse, request: ReceivedRequest): void {
  if (step === 'hang') return;
  if (step === 'drop') response.socket?.destroy();
  else if (typeof step === 'number') response.writeHead(step, { 'content-type': 'text/plain' }).end('ok');
  else step(response, request);
}
