import { expect, it } from 'vitest';
import { type Candidate, candidatesPage, fanOut } from '../src/domain/fan-out.ts';
import { signalEvent } from './fixture.ts';
import { schedulerHarness, settled } from './scheduler-harness.ts';

const recipient = (id: string, suspended: boolean): Candidate => ({
  id,
  account: `acct_${id}`,
  url: 'https://receiver.example.com/',
  suspended,
  proven: true,
  ordered: false,
  filter: null,
});

it('no first attempt begins for a suspended account, nor for an account that is suspended during the fan-out of the event', async () => {
  const harness = schedulerHarness({ maxAttempts: 2_000, maxPerHost: 2_000 });
  const recipients = Array.from({ length: 1_001 }, (_, n) => recipient(`wh_${1_000 + n}`, n === 3));
  const meanwhile = 'wh_1700';
  const made: string[] = [];
  await fanOut(signalEvent(), {
    appendEvent: async () => 'new',
    matching: async (_event, _type, after) => {
      const page = recipients.filter(({ id }) => id > after).slice(0, candidatesPage);
      return made.length === 0 ? page : page.map((one) => ({ ...one, suspended: one.id === meanwhile }));
    },
    meets: () => true,
    openDeliveries: async (event, opened) => {
      made.push(...opened.map(({ id }) => id));
      return opened.map((one) => {
        const pending = { id: `${event.id}.${one.id}`, dueAt: new Date(harness.now()), crashes: 0 };
        const stored = { dueAt: harness.now(), leased: false, crashes: 0, ended: false };
        harness.deliveries.set(pending.id, { ...stored, subscription: one.id });
        return { recipient: one, pending };
      });
    },
    notify: (opened) => harness.scheduler.notify(opened),
    markFannedOut: async () => undefined,
  });
  await settled();
  expect(made).toEqual(recipients.map(({ id }) => id));
  const started = new Set(harness.underWay.map(({ subscription }) => subscription));
  expect(made.filter((id) => !started.has(id))).toEqual(['wh_1003', meanwhile]);
});
