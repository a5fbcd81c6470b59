import type { SignalEvent } from '../events.ts';
import type { Sigcast } from '../sigcast.ts';
import type { SignalType } from '../signals.ts';
import type { StreamConnection, StreamOptions } from '../stream.ts';
import type { SignalEventName } from '../webhook.ts';
import type { Io } from './command.ts';
import { wrongUsage } from './exits.ts';
import type { Option, Values } from './values.ts';

/** The options of commands that follow events. */
export const followOptions: Readonly<Record<string, Option>> = {
  event: {
    value: '<events>',
    help: 'only these events: signal.new, signal.winner, signal.dead, signal.rugged',
  },
  type: { value: '<types>', help: 'only signals of these types: new, 3d, 7d, 30d, wallet, premium' },
  after: { value: '<id>', help: 'begin after this event (default: only new events)' },
};

/** What the API calls the same. */
export const followOptionOf: Readonly<Record<string, string>> = {
  events: '--event',
  types: '--type',
  'Last-Event-ID': '--after',
};

/** What became of an event: taken, or not, because the command was asked to stop. */
export type Taken = 'taken' | 'stopped';

/**
 * Hands every event from a position on to `take`, in order and one at a time, until `stop` aborts. Lost connections are
 * made again. Says at the end where to go on, however it ends.
 * @throws what `take` and the API throw.
 */
export async function followEvents(options: {
  readonly sigcast: Sigcast;
  readonly values: Values;
  readonly io: Io;
  readonly stop: AbortSignal;
  /** Said when the stream is open for the first time. */
  readonly ready: string;
  readonly take: (event: SignalEvent) => Promise<Taken>;
  /** Done once the position is known, before the stream is opened: it misses nothing that happens meanwhile. */
  readonly first?: () => Promise<Taken>;
}): Promise<void> {
  const { sigcast, values, io, stop, take } = options;
  const after = values.text('after');
  if (after !== undefined && !/^[\x21-\x7e]+$/.test(after)) {
    throw wrongUsage('--after must be the id of an event, without spaces and special characters');
  }
  // `latest` is a new place every time: where to go on is an event's place.
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

/** So that a connection lost before the first event loses none. Undefined where it was asked to stop meanwhile. */
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
  const [events, types] = [values.text('event'), values.text('type')];
  // The API says which values there are.
  return {
    ...(events !== undefined && { events: events.split(',') as SignalEventName[] }),
    ...(types !== undefined && { types: types.split(',') as SignalType[] }),
  };
}

/** Tells of a stream's connection, once for each change of it. */
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
