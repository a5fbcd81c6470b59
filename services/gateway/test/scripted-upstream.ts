import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type UpstreamRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** A service on loopback that answers as a test says, and keeps each request that arrived completely. */
export type ScriptedUpstream = {
  readonly url: string;
  readonly requests: UpstreamRequest[];
  answer: (req: IncomingMessage, res: ServerResponse, body: string) => void;
  close(): Promise<void>;
};

export const okAnswer = (_req: IncomingMessage, res: ServerResponse): void => {
  res.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('{"success":true,"data":[]}');
};

export async function startUpstream(port = 0, host = '127.0.0.1'): Promise<ScriptedUpstream> {
  const requests: UpstreamRequest[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      requests.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body });
      upstream.answer(req, res, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const upstream: ScriptedUpstream = {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    answer: okAnswer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return upstream;
}
