import { expect, it } from 'vitest';
import type { Recipient } from '../src/domain/attempt-ports.ts';
import { fanOut, recipientsPage } from '../src/domain/fan-out.ts';
import { claimedFor } from './claimed.ts';
import { signalEvent } from './fixture.ts';

const recipient = (id: string, suspended: boolean): Recipient => ({
  id,
  account: `acct_${id}`,
  url: 'https://receiver.example.com/',
  suspended,
  proven: true,
  ordered: false,
  failing: null,
});

it('no first attempt begins for a suspended account, nor for an account that is suspended during the fan-out of the event', async () => {
  const recipients = Array.from({ length: 1_001 }, (_, n) => recipient(`wh_${1_000 + n}`, n === 3));
  const meanwhile = 'wh_1700';
  const [started, made, marked]: [string[], string[], string[]] = [[], [], []];
  await fanOut(signalEvent(), {
    appendEvent: async () => 'new',
    matching: async (_event, _type, after) => {
      const page = recipients.filter(({ id }) => id > after).slice(0, recipientsPage);
      return made.length === 0 ? page : page.map((one) => ({ ...one, suspended: one.id === meanwhile }));
    },
    releaseLeases: async () => undefined,
    openDeliveries: async (event, opened, reserved) => {
      made.push(...opened.map(({ id }) => id));
      const claimed = claimedFor('https://receiver.example.com/');
      return opened
        .map(({ id: subscription }) => ({ id: `${event.id}.${subscription}`, subscription }))
        .filter(({ id }) => reserved.has(id))
        .map((one) => ({ ...claimed, delivery: { ...claimed.delivery, ...one } }));
    },
    markDue: async (ids) => void marked.push(...ids),
    markFannedOut: async () => undefined,
    deliveryId: (event, subscription) => `${event}.${subscription}`,
    scheduler: {
      tryReserve: () => true,
      free: () => undefined,
      start: ({ delivery }) => void started.push(delivery.subscription),
      hasSlot: () => false,
      notifyDue: () => false,
    },
  });
  expect(made).toEqual(recipients.map(({ id }) => id));
  expect(marked).toEqual(['wh_1003', meanwhile]);
  expect(started).toEqual(made.filter((id) => !marked.includes(id)));
});
