import { receivedSignalEventSchema } from '@sigcast/contracts';
import { readAs, recorded } from '@sigcast/testing';
import { expect, it } from 'vitest';

it('signals records what it relays of outboxes and the archive, which another release may have filled', () => {
  const present = { 'signal.*': readAs(receivedSignalEventSchema) };
  expect(recorded(new URL('../consumes/events.json', import.meta.url), present)).toEqual(present);
});
