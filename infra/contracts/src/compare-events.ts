import type { Schema } from './schema.ts';
import { takenBy } from './taken-by.ts';
import type { Break } from './wording.ts';

/** One family of events: what is sent, and what consumers of the same release can read. */
export type EventContract = { readonly version: number; readonly sent: Schema; readonly read: Schema };

/**
 * Each change of a family of events that makes somebody park them: consumers of the last release, which run beside this
 * one while it is rolled out or after it was rolled back, or this release, which finds events of the last one in outboxes,
 * queues and the archive. Consumers ignore members that they don't know, so that one more breaks nobody.
 */
export function compareEvents(family: string, released: EventContract, present: EventContract): Break[] {
  const located = (schema: Schema) => ({ schema, root: schema });
  const where = `Event ${family}`;
  const called = (path: string) => (path === '' ? 'the event' : `field \`${path}\``);
  return [
    ...takenBy(located(present.sent), located(released.read), 'newEvents', where, called),
    ...takenBy(located(released.sent), located(present.read), 'oldEvents', where, called),
  ];
}
