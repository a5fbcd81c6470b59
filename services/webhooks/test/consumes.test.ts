import { expect, it } from '@jest/globals';
import { accountEventSchema, receivedSignalEventSchema } from '@sigcast/contracts';
import { readAs, recorded } from '@sigcast/testing';

it('webhooks records what it reads of events of signals and of accounts', () => {
  const present = { 'signal.*': readAs(receivedSignalEventSchema), 'account.*': readAs(accountEventSchema) };
  expect(recorded(new URL('../consumes/events.json', import.meta.url), present)).toEqual(present);
});
