import type { Schema } from './schema.ts';
import { takenBy } from './taken-by.ts';
import type { Break, Direction } from './wording.ts';

/** One family of events: the schema of the sent events, and the schema of which each consumer reads a part. */
export type EventContract = { readonly version: number; readonly sent: Schema; readonly read: Schema };

/**
 * Each change of a family of events, within one version of the envelope, because of which a consumer parks events. During
 * a rollout, and after a rollback, consumers of the last release get events of this one. Consumers of this release find
 * events of the last one in outboxes, queues and the archive. Consumers ignore members that they don't know, so a new
 * member breaks nobody.
 */
export function compareEvents(family: string, released: EventContract, present: EventContract): Break[] {
  const read = (sent: Schema, { read: schema }: EventContract, direction: Direction, whom: string) =>
    takenBy(
      { schema: sent, root: sent },
      { schema, root: schema },
      {
        direction,
        whom,
        where: `Event ${family}`,
        called: (path) => (path === '' ? 'the event' : `field \`${path}\``),
      },
    );
  if (released.version !== present.version)
    return read(present.sent, present, 'newEvents', 'consumers park such events');
  const found = [
    ...read(present.sent, released, 'newEvents', 'consumers of the last release park such events'),
    ...read(released.sent, present, 'oldEvents', 'consumers park events of the last release'),
  ];
  return found.length > 0 ? found : read(present.sent, present, 'newEvents', 'consumers park such events');
}
