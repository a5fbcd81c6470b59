import { createHmac } from 'node:crypto';
import { listedSignalSchema, listSchema, sampleOf, webhookPayloadSchema } from '@sigcast/contracts';

/** Of a webhook that nobody has. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** How many lines of a body are shown of which one can have all. */
const shownLines = 10;

/** A request with an API key. */
export const request = (server: string) => `curl -H "Authorization: Bearer $SIGCAST_API_KEY" \\
  "${server}/v1/signals?status=winner&limit=1"`;

/** The answer to {@link request}, with the sample signal of the API's description. Short objects have one line. */
export function answer(): string {
  const text = JSON.stringify(sampleOf(listSchema(listedSignalSchema), { meta: { per_page: 1 } }), null, 2);
  return text.replaceAll(/\{\n[^{}]{0,100}\}/g, (short) => short.replaceAll(/\n\s*/g, ' '));
}

/** A request to a webhook, byte for byte, the beginning of its body as one reads it, and the secret that its signature is made with. */
export function pushed(): {
  readonly secret: string;
  readonly headers: string;
  readonly body: string;
  readonly beginning: string;
} {
  const payload = sampleOf(webhookPayloadSchema);
  const [id, seconds] = ['evt_01J9ZQ6W9A1C3E5G7J9M1N3Q5S', Date.parse(payload.timestamp) / 1_000];
  const body = JSON.stringify(payload);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  const headers = `POST /hooks/sigcast HTTP/1.1
Content-Type: application/json
webhook-id: ${id}
webhook-timestamp: ${seconds}
webhook-signature: v1,${signature}`;
  const lines = JSON.stringify(payload, null, 2).split('\n');
  return { secret, headers, body, beginning: [...lines.slice(0, shownLines), '    …'].join('\n') };
}
