import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { SigcastError } from '@sigcast/contracts';
import { readBody } from '../src/proxy/request-body.ts';

describe('a body', () => {
  it('that takes longer than its timeout is refused', async () => {
    const server = createServer((req, res) => {
      readBody(req, 50).then(
        (body) => res.end(body),
        (error: unknown) => res.writeHead(400).end((error as SigcastError).message),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const slow = request({ port, method: 'POST' });
    slow.write('{"half":');
    const [answer] = (await once(slow, 'response')) as [IncomingMessage];
    expect([answer.statusCode, (await answer.setEncoding('utf8').toArray()).join('')]).toEqual([
      400,
      'The body did not arrive within 0.05 s',
    ]);
    slow.end('1}');
    server.close();
    server.closeAllConnections();
  });
});
