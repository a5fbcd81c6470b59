import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxBatchBytes } from '../src/domain/import-signals.ts';
import { openModel, openService, openStack, refusedFields, type Service, testIdentities } from './fixture.ts';
import { sampleBody } from './samples.ts';

type Report = {
  data: { received: number; created: number; errors: { line: number }[]; errors_truncated: boolean };
};

describe('import', () => {
  const { stack, resources, close } = openStack();
  const identities = testIdentities();
  let service: Service;
  beforeAll(async () => {
    service = openService({ model: await openModel(stack, resources), identities });
  });
  afterAll(close);

  const line = (name: string) => JSON.stringify(sampleBody({ name }));
  const named = (name: string | RegExp) => service.model.countDocuments({ 'token.name': name });

  it('an import stores the good lines, and reports the others by their number', async () => {
    const lines = [
      line('mixed'),
      '',
      '{"oops"',
      line('mixed'),
      '{"token":1}',
      `"${'x'.repeat(100_001)}"`,
      line('mixed'),
    ];
    const response = await service.api.import(lines.join('\n'));
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      success: true,
      data: {
        received: 6,
        created: 3,
        duplicates: 0,
        failed: 3,
        errors: [
          { line: 3, message: 'The line is not valid JSON in UTF-8', details: [] },
          { line: 5, details: expect.arrayContaining([expect.objectContaining({ field: 'token' })]) },
          { line: 6, message: 'The line is over 100 kB' },
        ],
        errors_truncated: false,
      },
    });
    expect(await named('mixed')).toBe(3);
  });

  it('an import reports a line dated in the future as wrong', async () => {
    const future = JSON.stringify(sampleBody({ created_at: '2999-01-01T00:00:00Z' }));
    const response = await service.api.import(`${future}\n${line('present')}\n`);
    expect(response.body).toMatchObject({
      data: { created: 1, failed: 1, errors: [{ line: 1, details: [{ field: 'created_at' }] }] },
    });
  });

  it('an import reports the first 100 errors over several batches, in order', async () => {
    const lines = Array.from({ length: 1_300 }, (_, n) => (n % 10 === 0 ? 'bad' : line('many')));
    const { data } = (await service.api.import(lines.join('\n'))).body as Report;
    expect(data).toMatchObject({ received: 1_300, created: 1_170, failed: 130, errors_truncated: true });
    expect(data.errors.map((error) => error.line)).toEqual(Array.from({ length: 100 }, (_, n) => n * 10 + 1));
  });

  it('an import repeated under its key creates only missing signals, and reports lines that have changed', async () => {
    const lines = Array.from({ length: 600 }, (_, n) => line(`keyed ${n}`));
    const headers = { 'idempotency-key': 'import-1' };
    const interrupted = await service.api.import(lines.slice(0, 550).join('\n'), headers);
    expect(interrupted.body).toMatchObject({ data: { created: 550, duplicates: 0 } });
    const changed = lines.with(7, line('keyed otherwise'));
    const repeated = await service.api.import(changed.join('\n'), headers);
    expect(repeated.body).toMatchObject({
      data: {
        received: 600,
        created: 50,
        duplicates: 549,
        failed: 1,
        errors: [{ line: 8, message: expect.stringContaining('differs') }],
      },
    });
    expect(await named(/^keyed \d+$/)).toBe(600);
  });

  it('an import shares no idempotency key with the creation of one signal', async () => {
    const headers = { 'idempotency-key': 'shared:1' };
    expect((await service.api.post(sampleBody({ name: 'shared' }), headers)).status).toBe(201);
    const response = await service.api.import(line('shared'), { 'idempotency-key': 'shared' });
    expect(response.body).toMatchObject({ data: { created: 1 } });
  });

  it('an empty import is answered with an empty report', async () => {
    const response = await service.api.import('\n\n');
    expect(response.body).toMatchObject({ data: { received: 0, created: 0, failed: 0, errors: [] } });
  });

  it.each(['application/ndjson; charset=utf-8', 'application/jsonl', 'application/x-jsonlines'])(
    'an import of the type %s is accepted',
    async (type) => {
      expect((await service.api.import(line('typed'), { 'content-type': type })).status).toBe(200);
    },
  );

  it.each([{ 'content-type': 'application/json' }, { 'content-encoding': 'gzip' }])(
    'an import with the header %j is refused with 415',
    async (headers) => {
      expect((await service.api.import(line('refused'), headers)).status).toBe(415);
      expect(await named('refused')).toBe(0);
    },
  );

  it('an import refuses a malformed idempotency key before it reads the body', async () => {
    const response = await service.api.import(line('refused'), { 'idempotency-key': 'two words' });
    expect(refusedFields(response)).toEqual(['Idempotency-Key']);
  });

  it('an import reads at most two batches ahead of the store, besides the buffers of sockets', async () => {
    const line = Buffer.from(`${' '.repeat(50_000)}${JSON.stringify(sampleBody({ name: 'large' }))}\n`);
    const lines = 1_500;
    let sent = 0;
    let stored = 0;
    let mostHeldBytes = 0;
    async function* body() {
      for (; sent < lines; sent++) {
        mostHeldBytes = Math.max(mostHeldBytes, (sent - stored) * line.length);
        yield line;
      }
    }
    /** Resolves once the service stops reading the body. */
    const stalled = () => {
      let before = -1;
      return eventually(() => {
        const isStill = before === sent;
        before = sent;
        if (!isStill) throw new Error('still sending');
      });
    };
    const slow = openService({
      model: service.model,
      identities,
      around: (store) => ({
        ...store,
        insert: async (records) => {
          await stalled();
          const refused = await store.insert(records);
          stored += records.length;
          return refused;
        },
      }),
    });
    const server = createServer(slow.app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const response = await fetch(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/v1/signals/import`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${identities.producer}`,
          'content-type': 'application/x-ndjson',
        },
        body: ReadableStream.from(body()),
        duplex: 'half',
      },
    );
    expect(await response.json()).toMatchObject({ data: { received: lines, created: lines } });
    server.close();
    const socketBytes = 16_000_000; // both ends' buffers at their largest (tcp_rmem, tcp_wmem), and Node's
    expect(mostHeldBytes).toBeLessThan(2 * maxBatchBytes + socketBytes); // of 75 MB
  });

  it('an import is at most two batches ahead of its events and totals', async () => {
    let [stored, doneWith, mostAhead] = [0, 0, 0];
    const paced = openService({
      model: service.model,
      identities,
      drained: async () => {
        const before = stored;
        await delay(20);
        doneWith = before;
      },
      around: (store) => ({
        ...store,
        insert: async (records) => {
          mostAhead = Math.max(mostAhead, stored + records.length - doneWith);
          const refused = await store.insert(records);
          stored += records.length;
          return refused;
        },
      }),
    });
    const lines = Array.from({ length: 3_000 }, () => line('paced')).join('\n');
    expect((await paced.api.import(lines)).body).toMatchObject({ data: { created: 3_000 } });
    expect(mostAhead).toBe(1_000);
  });

  it('signals that an import has stored stay when its client goes away', async () => {
    const server = createServer(service.app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const request = httpRequest({
      port: (server.address() as AddressInfo).port,
      method: 'POST',
      path: '/internal/v1/signals/import',
      headers: {
        authorization: `Bearer ${identities.producer}`,
        'content-type': 'application/x-ndjson',
      },
    });
    request.on('error', () => undefined);
    request.write(
      `${Array.from({ length: 500 }, () => line('cut')).join('\n')}\n${line('cut').slice(0, 20)}`,
    );
    await eventually(async () => expect(await named('cut')).toBe(500));
    request.destroy();
    await new Promise((resolve) => server.close(resolve));
    expect(await named('cut')).toBe(500);
    expect((await service.api.import(line('after'))).status).toBe(200);
  });
});
