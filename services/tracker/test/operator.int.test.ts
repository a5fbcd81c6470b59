import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestStack, testStack } from '@sigcast/testing';
import { entriesOf, verifierKey } from '@sigcast/tlog';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { revisionOf } from '../src/domain/revision.ts';
import { correctionOf } from '../src/domain/tlog/entry.ts';
import { LogWriter } from '../src/domain/tlog/writer.ts';
import { runOperator } from '../src/operator/run.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import { mongoLogStore, mongoPublicLog, mongoWaitingEntries } from '../src/store/mongo-tlog.ts';
import { observationsCollection } from '../src/store/observation-document.ts';
import { knownDay, trackedCollection } from '../src/store/tracked-document.ts';
import { createdMs, eventOf, signalId } from './events.ts';
import { openMongo, storedObservations, storedSignal } from './fixture.ts';
import { readerToken, startSignalsService } from './signals-service.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const minuteMs = 60_000;

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'sigcast-export-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

describe('operator commands', () => {
  let stack: TestStack;
  let resources: AsyncDisposableStack;
  let connection: Connection;
  let service: Awaited<ReturnType<typeof startSignalsService>>;
  beforeAll(async () => {
    stack = testStack();
    resources = new AsyncDisposableStack();
    connection = await openMongo(stack, resources, stack.database('tracker'));
    service = await startSignalsService(resources, 3);
  });
  beforeEach(async () => {
    for (const name of [observationsCollection, trackedCollection])
      await connection.collection(name).deleteMany({});
    service.events = Array.from({ length: 8 }, (_, n) =>
      eventOf({
        signal: n + 1,
        rev: n + 1,
        atMs: createdMs + n * minuteMs,
        mcap: 1_000 + n,
        mcapAth: 5_000,
        athHours: 0.5,
      }),
    );
    service.asked = [];
    service.failsAfter = Number.POSITIVE_INFINITY;
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await stack[Symbol.asyncDispose]();
  });

  const operator = async (args: readonly string[], token = readerToken) => {
    const [out, err]: [string[], string[]] = [[], []];
    const env = {
      MONGODB_URI: stack.mongodbUri,
      MONGODB_DATABASE: stack.database('tracker'),
      SIGNALS_URL: service.url,
      SIGNALS_TOKEN: token,
      AMQP_URL: stack.amqpUrl,
      BROKER_NAMESPACE: stack.namespace,
    };
    const status = await runOperator([...args, '--json'], env, {
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
      progress: { write: () => true },
    });
    return { status, said: [...out, ...err].join('\n') };
  };
  const backfilled = async (...args: string[]) => {
    const { status, said } = await operator(['backfill', ...args]);
    return { status, ...(JSON.parse(said) as object) };
  };

  it('`backfill` records the present state of each signal that no event was recorded of, and changes nothing when it is repeated', async () => {
    const revisions = mongoRevisions(connection);
    const known = eventOf({ signal: 2, rev: 3, atMs: createdMs + minuteMs, mcap: 77 });
    await revisions.record(revisionOf(known));
    expect(await backfilled()).toEqual({ status: 0, signals: 8, recorded: 7 });
    expect(await storedObservations(connection, signalId(2))).toMatchObject([
      { _id: `${signalId(2)}:000003` },
    ]);
    expect(await storedObservations(connection, signalId(5))).toEqual([
      {
        _id: `${signalId(5)}:000005`,
        at: new Date(service.events[4]?.data.updated_at ?? ''),
        recorded_at: new Date(service.events[4]?.data.updated_at ?? ''),
        mcap: 1_004,
        liquidity: 500,
        volume: 15,
        holders: 25,
        source: 'producer',
        from_state: true,
        mcap_ath: 5_000,
        ath_hours: 0.5,
        known_at: expect.any(Date),
      },
    ]);
    const stored = await storedSignal(connection, signalId(5));
    expect(stored).toEqual({
      _id: signalId(5),
      rev: 5,
      oldest_rev: 5,
      contract: '0x5',
      status: 'active',
      created_at: new Date(createdMs),
      mcap_entry: 1_000,
      liquidity_entry: 500,
      mcap_ath: 5_000,
      ath_hours: 0.5,
      type: 'new',
      is_premium: false,
      symbol_key: 'NOVA',
      contract_key: '0x5',
      token: { ...known.data.token, contract: '0x5' },
      known_at: expect.any(Date),
      revs_known: { [knownDay(stored?.known_at ?? new Date(0))]: 5 },
      due_at: expect.any(Date),
    });
    const before = await storedSignal(connection, signalId(1));
    expect(await backfilled()).toEqual({ status: 0, signals: 8, recorded: 0 });
    expect(await storedSignal(connection, signalId(1))).toEqual(before);
  });

  it('`backfill` that can not go on says behind which signal it goes on, and does so', async () => {
    service.failsAfter = 2;
    const { status, said } = await operator(['backfill']);
    expect(status).toBe(1);
    expect(said).toContain(`go on with --after ${signalId(6)}`);
    expect(await storedSignal(connection, signalId(6))).toBeDefined();
    expect(await storedSignal(connection, signalId(7))).toBeUndefined();
    service.failsAfter = Number.POSITIVE_INFINITY;
    expect(await backfilled('--after', signalId(6))).toEqual({ status: 0, signals: 2, recorded: 2 });
  });

  it('`log export` writes the files that are served, with what `backfill` and `log correct` have entered', async () => {
    expect((await operator(['log', 'export', '--out', 'x'])).said).toContain('there is no checkpoint');
    const store = mongoLogStore(connection, 'test');
    const signers = [{ name: 'log.example/log', privateKey: generateKeyPairSync('ed25519').privateKey }];
    const now = () => new Date();
    const writer = new LogWriter({ store, origin: 'log.example/log', signers, leaseMs: 60_000, now });
    const [first, ...others] = service.events;
    service.events = [
      ...(first
        ? [
            {
              ...first,
              data: { ...first.data, performance: { ...first.data.performance, status: 'dead' as const } },
            },
          ]
        : []),
      ...others,
    ];
    await backfilled();
    expect(await writer.write()).toBe(0);
    // From now on there is a log.
    await backfilled();
    await backfilled();
    expect(await writer.write()).toBe(9);
    expect((await operator(['log', 'correct', '--signal', signalId(99), '--why', 'x'])).said).toContain(
      'has no entry about',
    );
    expect(
      (await operator(['log', 'correct', '--signal', signalId(2), '--why', 'its entry was not traded']))
        .status,
    ).toBe(0);
    await writer.write();
    await using folder = await temporaryFolder();
    const { status, said } = await operator(['log', 'export', '--out', folder.path]);
    expect({ status, ...(JSON.parse(said) as object) }).toMatchObject({ status: 0, entries: 10 });
    const [checkpoint, tile, bundle] = await Promise.all(
      ['checkpoint', 'tile/0/000.p/10', 'tile/entries/000.p/10'].map((path) =>
        readFile(join(folder.path, path)),
      ),
    );
    expect(String(checkpoint)).toMatch(/^log\.example\/log\n10\n/);
    expect(tile).toHaveLength(320);
    const entries = (entriesOf(bundle as Buffer) ?? []).map((text) => JSON.parse(String(text)) as object);
    expect(entries).toContainEqual(
      expect.objectContaining({ kind: 'signal', signal: signalId(1), from_state: true }),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ kind: 'outcome', signal: signalId(1), status: 'dead' }),
    );
    expect(entries.at(-1)).toMatchObject({
      kind: 'correction',
      signal: signalId(2),
      why: 'its entry was not traded',
    });
  });

  it('`log import` continues the published history after a restore, and takes no copy of another one', async () => {
    const names = ['log_waiting', 'log_entries', 'log_tiles', 'log_state'];
    const clear = () => Promise.all(names.map((name) => connection.collection(name).deleteMany({})));
    await clear();
    const signer = { name: 'log.example/log', privateKey: generateKeyPairSync('ed25519').privateKey };
    const waiting = mongoWaitingEntries(connection);
    const write = async (...ids: number[]) => {
      for (const id of ids) await waiting.add(correctionOf({ id: `c${id}`, signal: signalId(1), why: 'x' }));
      const store = mongoLogStore(connection, 'test');
      const options = {
        store,
        origin: signer.name,
        signers: [signer],
        leaseMs: 60_000,
        now: () => new Date(),
      };
      await new LogWriter(options).write();
      return (await mongoPublicLog(connection).checkpoint()) ?? { size: 0, note: '' };
    };
    const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
    await using folder = await temporaryFolder();
    await using others = await temporaryFolder();
    const copy = (path: string) => operator(['log', 'export', '--out', path]);
    const restored = (...more: string[]) =>
      operator(['log', 'import', '--from', folder.path, '--key', verifierKey(signer), ...more]);

    await write(...numbers(0, 10));
    await copy(folder.path);
    const backUp = await Promise.all(names.map((name) => connection.collection(name).find().toArray()));
    const restore = async () => {
      await clear();
      for (const [n, documents] of backUp.entries())
        if (documents.length > 0) await connection.collection(names[n] ?? '').insertMany(documents);
    };
    const published = await write(...numbers(10, 300));
    await copy(folder.path);
    await restore();
    expect((await copy(folder.path)).said).toContain('the log has 10 entries, and its copy 310');
    expect((await restored('--key', verifierKey({ ...signer, name: 'x' }))).said).toContain('has not signed');
    const first = await restored();
    expect({ status: first.status, ...(JSON.parse(first.said) as object) }).toEqual({
      status: 0,
      appended: 300,
      entries: 310,
    });
    expect(JSON.parse((await restored()).said)).toMatchObject({ appended: 0 });
    // One of them again: the log has it.
    expect(await write(309)).toEqual(published);

    await restore();
    await write(...numbers(20, 3));
    await copy(others.path);
    // A refused import keeps nobody from the log, as the second one shows.
    for (const again of [await restored(), await restored()])
      expect(again.said).toContain('the stored entry 10 is not that of');
    // A copy is not written over by another history that has grown beyond it.
    await restore();
    await write(...numbers(30, 20));
    expect((await copy(others.path)).said).toContain(
      'the first 13 entries of the log are not those of the copy',
    );
    await writeFile(join(folder.path, 'tile/entries/001.p/54'), '');
    expect((await restored()).said).toContain('breaks off');
  });

  it('`backfill` says what is wrong with the token or with a signal’s id', async () => {
    const refused = await operator(['backfill'], 'nobody');
    expect(refused.status).toBe(1);
    expect(refused.said).toContain('SIGNALS_TOKEN needs the scope signals:read');
    const wrong = await operator(['backfill', '--after', 'sig_1']);
    expect(wrong.status).toBe(2);
    expect(wrong.said).toContain('--after must be a signal identifier');
  });

  it('`indexes` makes the indexes, `migrate` has nothing to change, and `parked list` nothing to list', async () => {
    expect(JSON.parse((await operator(['indexes'])).said)).toMatchObject({
      indexes: { tracked: ['by_creation', 'by_contract', 'by_symbol', 'by_chain', 'due', 'refresh', 'thin'] },
    });
    expect(JSON.parse((await operator(['migrate'])).said)).toMatchObject({ migrations: [] });
    expect(JSON.parse((await operator(['parked', 'list'])).said)).toEqual({ messages: [] });
  });
});
