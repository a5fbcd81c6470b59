import { accountEventSchema } from '@sigcast/contracts';
import { readAs, recorded } from '@sigcast/testing';
import { expect, it } from 'vitest';
import { fannedOutEventSchema } from '../src/domain/fan-out.ts';

it('webhooks records what it reads of events of signals and of accounts', () => {
  const present = { 'signal.*': readAs(fannedOutEventSchema), 'account.*': readAs(accountEventSchema) };
  expect(recorded(new URL('../consumes/events.json', import.meta.url), present)).toEqual(present);
});
