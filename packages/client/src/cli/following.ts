import type { FeedEvent, SignalType, WebhookEventType } from '../generated/types.ts';
import { signalTypeValues, webhookEventTypeValues } from '../generated/types.ts';
import type { Sigcast } from '../sigcast.ts';
import type { StreamConnection, StreamOptions } from '../stream.ts';
import type { Io } from './command.ts';
import { wrongUsage } from './exits.ts';
import type { Option, Values } from './values.ts';

/** The options of commands that follow events. */
export const followOptions: Readonly<Record<string, Option>> = {
  event: {
    value: '<events>',
    help: `only these events: ${webhookEventTypeValues.join(', ')}`,
  },
  type: { value: '<types>', help: `only signals of these types: ${signalTypeValues.join(', ')}` },
  filter: { value: '<json>', help: `only signals that meet conditions: '{"token.chain":{"eq":"solana"}}'` },
  after: { value: '<id>', help: 'begin after this event (default: only new events)' },
};

/** These options by the API's names for them. */
export const followOptionOf: Readonly<Record<string, string>> = {
  events: '--event',
  types: '--type',
  filter: '--filter',
  'Last-Event-ID': '--after',
};

/** `taken`: the event was handled. `stopped`: it was not, because the command was asked to stop. */
export type Taken = 'taken' | 'stopped';

/**
 * Calls `take` with every event after a position, in order and one at a time, until `stop` aborts. Reconnects after a lost
 * connection. When it ends, also by an error, it prints where to continue.
 * @throws what `take` and the API throw.
 */
export async function followEvents(options: {
  readonly sigcast: Sigcast;
  readonly values: Values;
  readonly io: Io;
  readonly stop: AbortSignal;
  /** Printed when the stream is open for the first time. */
  readonly ready: string;
  readonly take: (event: FeedEvent) => Promise<Taken>;
  /** Called once the position is known, before the stream opens. Events that happen during the call are not missed. */
  readonly first?: () => Promise<Taken>;
}): Promise<void> {
  const { sigcast, values, io, stop, take } = options;
  const after = values.text('after');
  if (after !== undefined && !/^[\x21-\x7e]+$/.test(after)) {
    throw wrongUsage('--after must be the id of an event, without spaces and special characters');
  }
  // `latest` is another position at each connection, so it is resolved once.
  const isGiven = after !== undefined && after !== 'latest';
  let position = isGiven ? after : await newestPosition(sigcast, stop);
  if (position === undefined) return;
  if ((await options.first?.()) === 'stopped') return;
  const connection = connectionNotes(io, options.ready);
  const { onConnection } = connection;
  try {
    const filter = filterOf(values);
    for await (const event of sigcast.stream({
      ...filter,
      lastEventId: position,
      signal: stop,
      onConnection,
    })) {
      if ((await take(event)) === 'stopped') break;
      position = event.id;
      if (stop.aborted) break;
    }
  } finally {
    if (connection.wasOpen()) io.note(`To continue from here: --after ${position}`);
  }
}

/** The position after the newest event; undefined when `stop` aborts meanwhile. */
async function newestPosition(sigcast: Sigcast, stop: AbortSignal): Promise<string | undefined> {
  try {
    const { meta } = await sigcast.events.list({ after: 'latest', limit: 1 }, { signal: stop });
    return meta.next_cursor;
  } catch (error) {
    if (stop.aborted) return undefined;
    throw error;
  }
}

function filterOf(values: Values): StreamOptions {
  const [events, types, filter] = [values.text('event'), values.text('type'), values.text('filter')];
  // The API checks the values.
  return {
    ...(events !== undefined && { events: events.split(',') as WebhookEventType[] }),
    ...(types !== undefined && { types: types.split(',') as SignalType[] }),
    ...(filter !== undefined && { filter }),
  };
}

/** Prints the state of a stream's connection, once for each change. */
function connectionNotes(io: Io, ready: string) {
  let wasOpen = false;
  let isLost = false;
  const onConnection = (connection: StreamConnection) => {
    if (connection.state === 'open') {
      if (!wasOpen) io.note(ready);
      else if (isLost) io.note('Connected');
      wasOpen = true;
      isLost = false;
    } else if (connection.cause !== undefined) {
      io.note(`Not connected: ${connection.cause.message}`);
      isLost = true;
    }
  };
  return { onConnection, wasOpen: () => wasOpen };
}
