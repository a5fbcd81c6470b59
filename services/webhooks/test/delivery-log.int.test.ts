import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mongoDeliveryLog } from '../src/store/delivery-log.ts';
import { deliveryId, newDelivery } from '../src/store/new-deliveries.ts';
import { type Fixture, fixture, signalEvent } from './fixture.ts';
import { rowsOfFinds } from './rows-of-finds.ts';

let f: Fixture;
beforeAll(async () => {
  f = await fixture();
});
afterEach(() => f.endWorkers());
afterAll(() => f[Symbol.asyncDispose]());

type Listed = { id: string; status: string; event: string };
type List = { data: Listed[]; meta: { total: number; total_pages: number; next_cursor: string | null } };
type One = { data: { status: string; attempt_count: number; attempts: { outcome: string }[] } };
type Failure = { error: { details: { field: string }[] } };

async function own(path = '/log') {
  const { id, ask, received } = await f.subscribe(path, { proven: false });
  return {
    id,
    list: async (query = '') => (await ask('get', `deliveries${query}`).expect(200)).body as List,
    refused: async (query: string) => (await ask('get', `deliveries${query}`).expect(400)).body as Failure,
    one: async (delivery: string) =>
      ((await ask('get', `deliveries/${delivery}`).expect(200)).body as One).data,
    retry: (delivery: string) => ask('post', `deliveries/${delivery}/retry`),
    recover: async (since: string) =>
      (await ask('post', 'recover').send({ since }).expect(200)).body as { data: object },
    attempts: () => received().map(({ headers }) => [headers['webhook-id'], headers['webhook-attempt']]),
  };
}

/** A delivery that has ended, of an event that is stored. */
async function ended(subscription: string, status: 'delivered' | 'failed', attemptCount: number) {
  const event = signalEvent();
  await f.storeEvents(event);
  const fields = newDelivery(
    { id: event.id, type: 'signal.new', signalId: event.data.id },
    { id: subscription, account: 'acct' },
    new Date(),
  );
  await f.collections.deliveries.create([
    { ...fields, status, attempt_count: attemptCount, next_attempt_at: null },
  ]);
  return { event: event.id, id: deliveryId(event.id, subscription) };
}

describe('reads', () => {
  // Yesterday: the store itself removes what is older than a month, at any moment.
  const start = Math.floor(Date.now() / 1_000) * 1_000 - 86_400_000;
  const since = new Date(start + 2_000).toISOString();
  const elsewhere = new Date(start + 3_602_000).toISOString().replace('Z', '%2B01:00');
  let hook: Awaited<ReturnType<typeof own>>;
  beforeAll(async () => {
    hook = await own();
    await f.collections.deliveries.create(
      Array.from({ length: 45 }, (_, i) => {
        // Ten at each instant.
        const at = new Date(start + Math.floor(i / 10) * 1_000);
        const type = i % 3 === 0 ? ('signal.winner' as const) : ('signal.new' as const);
        const event = { id: newId('evt'), type, signalId: null };
        const status = i % 5 === 0 ? ('failed' as const) : ('delivered' as const);
        return { ...newDelivery(event, { id: hook.id, account: 'acct' }, at), status };
      }),
    );
  });

  it('the delivery log is read once through by page and by cursor alike, newest first', async () => {
    const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => hook.list(`?limit=10&page=${page}`)));
    const byPage = pages.flatMap(({ data }) => data.map(({ id }) => id));
    expect(new Set(byPage).size).toBe(45);
    expect(pages.map(({ meta }) => meta.total)).toEqual([45, 45, 45, 45, 45]);
    const byCursor: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const list = await hook.list(`?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
      byCursor.push(...list.data.map(({ id }) => id));
      cursor = list.meta.next_cursor;
    }
    expect(byCursor).toEqual(byPage);
  });

  it('the delivery log counts to 10,000 and no further, however long it is', async () => {
    const long = await own();
    const at = new Date(start);
    for (let batch = 0; batch < 11; batch++) {
      await f.collections.deliveries.insertMany(
        Array.from({ length: 1_000 }, () => ({
          ...newDelivery(
            { id: newId('evt'), type: 'signal.new', signalId: null },
            { id: long.id, account: 'acct' },
            at,
          ),
          status: 'delivered' as const,
        })),
      );
    }
    const { data, meta } = await long.list('?limit=100');
    expect(meta).toMatchObject({ total: 10_000, total_pages: 100, next_cursor: expect.any(String) });
    expect(data).toHaveLength(100);
  });

  it('the delivery log is read by cursor without a gap or a repetition while deliveries are added', async () => {
    const other = await own();
    const made = await Promise.all(Array.from({ length: 6 }, () => ended(other.id, 'delivered', 1)));
    const first = await other.list('?limit=3');
    await ended(other.id, 'delivered', 1);
    const rest = await other.list(`?limit=9&cursor=${first.meta.next_cursor}`);
    const read = [...first.data, ...rest.data].map(({ id }) => id);
    expect(read.sort()).toEqual(made.map(({ id }) => id).sort());
    expect(rest.meta.next_cursor).toBeNull();
  });

  it.each([
    ['?status=failed', 9],
    ['?status=delivered', 36],
    ['?status=pending', 0],
    ['?event=signal.winner', 15],
    ['?event=signal.winner&status=failed', 3],
    ['?event=webhook.test', 0],
    [`?since=${since}`, 15],
    [`?since=${since}&status=failed`, 3],
    [`?since=${elsewhere}`, 15],
  ])('the delivery log shows just what %s asks for, and how many', async (query, total) => {
    const { data, meta } = await hook.list(`${query}&limit=100`);
    expect(data).toHaveLength(total);
    expect(meta.total).toBe(total);
  });

  it('the delivery log reads only deliveries of the event that is asked for, however few they are among others', async () => {
    const rows = await rowsOfFinds(f, ['deliveries'], async (collections) => {
      const query = { event: 'signal.winner', limit: 100, after: { page: 1 } } as const;
      const { items } = await mongoDeliveryLog(collections, Date.now).list(hook.id, query);
      expect(items).toHaveLength(15);
    });
    expect(rows).toEqual([15]);
  });

  it.each([
    ['?status=open', 'status'],
    ['?event=signal.updated', 'event'],
    ['?since=yesterday', 'since'],
    ['?limit=101', 'limit'],
    ['?limit=100&page=101', 'cursor'],
    ['?cursor=AAAA', 'cursor'],
    ['?cursor=AAAA&page=2', 'cursor'],
    ['?state=failed', 'state'],
    ['?status=failed&status=pending', 'status'],
  ])('the delivery log refuses %s, naming %s', async (query, field) => {
    const { error } = await hook.refused(query);
    expect(error.details.map((detail) => detail.field)).toContain(field);
  });
});

it('a retry by hand is one further attempt of what failed, with the same id; when that fails, it has failed again', async () => {
  await f.startWorker();
  const hook = await own('/again');
  const { id, event } = await ended(hook.id, 'failed', 4);
  f.receiver.script('/again', 500, 200);
  await hook.retry(id).expect(200);
  await eventually(async () =>
    expect(await hook.one(id)).toMatchObject({ status: 'failed', attempt_count: 5 }),
  );
  await hook.retry(id).expect(200);
  await eventually(async () =>
    expect(await hook.one(id)).toMatchObject({ status: 'delivered', attempt_count: 6 }),
  );
  expect(hook.attempts()).toEqual([
    [event, '5'],
    [event, '6'],
  ]);
});

it('a retry by hand of what was delivered is one attempt more: when it fails, the delivery stays delivered, and no recovery sends it again', async () => {
  await f.startWorker();
  const hook = await own('/resent');
  const { id, event } = await ended(hook.id, 'delivered', 1);
  f.receiver.script('/resent', 500, 500);
  for (const attempts of [2, 3]) {
    await hook.retry(id).expect(200);
    await eventually(async () =>
      expect(await hook.one(id)).toMatchObject({
        status: 'delivered',
        attempt_count: attempts,
        next_attempt_at: null,
      }),
    );
  }
  expect((await hook.list('?http_status=500')).data).toMatchObject([{ id }]);
  expect((await hook.list('?http_status=200')).data).toEqual([]);
  const since = new Date(Date.now() - 60_000).toISOString();
  expect((await hook.recover(since)).data).toMatchObject({ retried: 0, opened: 0 });
  expect(hook.attempts()).toEqual([
    [event, '2'],
    [event, '3'],
  ]);
});

it('a retry by hand is one when many ask for it at once; the others are 409', async () => {
  const hook = await own('/many');
  const { id } = await ended(hook.id, 'failed', 4);
  const answers = await Promise.all(Array.from({ length: 6 }, () => hook.retry(id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  expect(await hook.one(id)).toMatchObject({ status: 'pending', attempt_count: 4 });
});

it('a retry by hand of a delivery whose event is no longer kept is 409, and changes nothing', async () => {
  const hook = await own('/old');
  const { id, event } = await ended(hook.id, 'failed', 4);
  await f.collections.events.deleteOne({ _id: event });
  await hook.retry(id).expect(409);
  expect(await hook.one(id)).toMatchObject({ status: 'failed' });
});

it('a retry by hand of a delivery that is not there is 404', async () => {
  const hook = await own('/none');
  const other = await own('/other');
  const { id } = await ended(other.id, 'failed', 4);
  await hook.retry(id).expect(404);
});

it('a recovery of a webhook gives what failed all its attempts again', async () => {
  await f.startWorker();
  const hook = await f.subscribe('/afresh');
  const { id } = await ended(hook.id, 'failed', 4);
  f.receiver.script('/afresh', 500, 500, 500, 500);
  const since = new Date(Date.now() - 60_000).toISOString();
  const answer = await hook.ask('post', 'recover').send({ since }).expect(200);
  expect((answer.body as { data: object }).data).toMatchObject({ retried: 1, opened: 0 });
  await eventually(async () =>
    expect(await f.collections.deliveries.findById(id).lean()).toMatchObject({
      status: 'failed',
      attempt_count: 8,
      next_attempt_at: null,
    }),
  );
});
