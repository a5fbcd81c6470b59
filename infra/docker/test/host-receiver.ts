import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sigcast, verifyWebhook, type WebhookBody } from '@sigcast/client';
import type { Demo } from './stack.ts';

/** A webhook receiver on this machine that containers can reach. */
export type HostReceiver = {
  /** The payloads with a valid signature. */
  readonly received: readonly WebhookBody[];
  close(): Promise<void>;
};

/** Starts a receiver, subscribes it to new signals, and keeps the payloads that are signed with the subscription's secret. */
export async function startHostReceiver(hostAddress: string, demo: Demo): Promise<HostReceiver> {
  const received: WebhookBody[] = [];
  let secret = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      verifyWebhook(Buffer.concat(chunks), request.headers, secret).then(
        (payload) => {
          received.push(payload);
          response.writeHead(200).end();
        },
        () => response.writeHead(401).end(),
      );
    });
  });
  server.listen(0, hostAddress);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sigcast = new Sigcast({ apiKey: demo.api_key, baseUrl: demo.gateway_url });
  const { data } = await sigcast.webhooks.create({
    url: `http://${hostAddress}:${port}/`,
    events: ['signal.new'],
  });
  secret = data.secret;
  return {
    received,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
