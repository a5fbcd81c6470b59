import { type Gate, gatedConnection } from '@sigcast/testing';
import type { Models } from '../src/store/models.ts';

/** The collections of a worker whose fan-out can be paused or killed between any two commands that go to the driver. */
export function gatedModels(collections: Models, gate: Gate): Models {
  const db = gatedConnection(collections.events.db, gate);
  const gated = <T extends object>(model: T): T =>
    new Proxy(model, {
      get: (of, name) => (name === 'db' ? db : (Reflect.get(of, name, of) as unknown)),
    });
  return {
    ...collections,
    events: gated(collections.events),
    deliveries: gated(collections.deliveries),
    subscriptions: gated(collections.subscriptions),
  };
}
