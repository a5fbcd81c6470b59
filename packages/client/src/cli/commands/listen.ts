import { createHmac, randomBytes } from 'node:crypto';
import { testEvent } from '../../generated/test-event.ts';
import type { WebhookPayload } from '../../generated/types.ts';
import { keyOf } from '../../webhook-signature.ts';
import type { Command, Io } from '../command.ts';
import { readApiKey, refuseUserInfo } from '../credentials.ts';
import { wrongUsage } from '../exits.ts';
import { followEvents, followOptionOf, followOptions } from '../following.ts';
import { instant } from '../formats.ts';
import { forwarder } from '../forwarding.ts';
import type { Attempt, Message } from '../posting.ts';

export const listen: Command = {
  name: 'webhooks listen',
  summary: 'Post events to an address of this machine, signed like webhooks, until Ctrl-C',
  options: {
    forward: { value: '<url>', help: 'the receiver, such as http://127.0.0.1:3000/hook' },
    ...followOptions,
    'print-secret': { help: 'print the secret, and do nothing else' },
    test: { help: 'post a webhook.test event first' },
    retries: { value: '<n>', help: 'give up an event after this many retries (default: never)' },
  },
  optionOf: followOptionOf,
  details: `One event at a time, in order: an event that is not answered with status 200 within 5 s is posted again, and
later events wait. After a lost connection, sigcast connects again, and no event is missed.
Events are signed by SIGCAST_WEBHOOK_SECRET, else by a secret made from your API key.
The first Ctrl-C waits for the receiver to answer; a second one does not.`,
  run: async (context) => {
    const { values, json, io } = context;
    const secret = await secretOf(io.env);
    if (values.has('print-secret')) {
      io.print(json ? JSON.stringify({ secret }) : secret);
      return;
    }
    const url = receiverOf(values.text('forward'));
    const maxRetries = values.wholeNumber('retries', 0) ?? Number.POSITIVE_INFINITY;
    const sigcast = await context.connect();
    const { stop, stopNow, exit } = io.catchInterrupts();
    const onAttempt = (message: Message, attempt: Attempt) => io.print(attemptLine(message, attempt, json));
    const { forward } = forwarder({ url, secret, maxRetries, stop, stopNow, note: io.note, onAttempt });
    if (!io.env.SIGCAST_WEBHOOK_SECRET) io.note('Signing secret: ', secret);
    await followEvents({
      sigcast,
      values,
      io,
      stop,
      ready: `Posting events to ${url.href}; Ctrl-C ends it`,
      // The body of a webhook is the event without its id.
      take: ({ id, ...payload }) => forward({ id, body: JSON.stringify(payload) }),
      ...(values.has('test') && { first: () => forward(testMessage()) }),
    });
    return exit();
  },
};

/** A signing secret derived from the key: the same at every start, and it does not reveal the key. */
async function secretOf(env: Io['env']): Promise<string> {
  const given = env.SIGCAST_WEBHOOK_SECRET;
  if (given) {
    try {
      keyOf(given);
    } catch {
      throw wrongUsage('SIGCAST_WEBHOOK_SECRET must be whsec_ and base64');
    }
    return given;
  }
  const apiKey = await readApiKey(env);
  return `whsec_${createHmac('sha256', apiKey).update('sigcast webhooks listen').digest('base64')}`;
}

function receiverOf(text: string | undefined): URL {
  if (text === undefined) throw wrongUsage('--forward is missing: --forward http://127.0.0.1:3000/hook');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw wrongUsage('--forward must be an http or https address');
  }
  refuseUserInfo(url, '--forward');
  return url;
}

function attemptLine({ id, body }: Message, attempt: Attempt, json: boolean): string {
  const { number, status, error, durationMs } = attempt;
  const { event, data } = JSON.parse(body) as WebhookPayload;
  if (json) {
    const result = { attempt: number, status, error, duration_ms: durationMs };
    return JSON.stringify({ id, event, signal_id: data.id, ...result });
  }
  const cells = [instant(new Date().toISOString()), event.padEnd(13), id, data.id, status ?? error];
  return `${cells.join('  ')}  ${durationMs} ms${number > 1 ? `  attempt ${number}` : ''}`;
}

/** The API's test event. */
function testMessage(): Message {
  const at = new Date().toISOString();
  const body = JSON.stringify({ ...testEvent, timestamp: at, data: { ...testEvent.data, created_at: at } });
  return { id: `evt_${randomBytes(13).toString('hex')}`, body };
}
