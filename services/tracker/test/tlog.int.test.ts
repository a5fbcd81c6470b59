import { createHash, generateKeyPairSync } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import {
  eventTopology,
  identityHeader,
  type SignalEvent,
  type SignalProof,
  signalProofSchema,
} from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { eventMessage } from '@sigcast/messaging';
import { askApp, eventually, testKeyPair, testStack } from '@sigcast/testing';
import {
  cosignedAt,
  entriesOf,
  hashesOf,
  isSignedBy,
  leafHash,
  readCheckpoint,
  readNote,
  readPolicy,
  readVerifierKey,
  rootOf,
  rootOfInclusion,
  verifierKey,
} from '@sigcast/tlog';
import type { Express } from 'express';
import type { Connection } from 'mongoose';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordObservations } from '../src/consumers/record-observations.ts';
import { revisionEventSchema, revisionOf } from '../src/domain/revision.ts';
import {
  correctionOf,
  entriesOfState,
  entryOf,
  knownAt,
  type LogEntry,
  stamped,
} from '../src/domain/tlog/entry.ts';
import type { LogStore } from '../src/domain/tlog/ports.ts';
import { LogWriter, type LogWriterOptions } from '../src/domain/tlog/writer.ts';
import { askWitnesses } from '../src/sending/ask-witnesses.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import {
  mongoLogStore,
  mongoPublicLog,
  mongoWaitingEntries,
  waitingEntries,
} from '../src/store/mongo-tlog.ts';
import { createdMs, eventOf, signalId } from './events.ts';
import { appOver, openBroker, useMongo } from './fixture.ts';
import { startWitness, type TestWitness } from './witness.ts';

const origin = 'log.example/log';
const signer = { name: origin, privateKey: generateKeyPairSync('ed25519').privateKey };
const verifier = readVerifierKey(verifierKey(signer));
const gateway = testKeyPair();
const token = identitySigner(
  'gateway',
  gateway.privateKey,
  'tracker',
)({ subject: 'acct_1', scopes: [], ttlS: 600 });

const correction = (n: number): LogEntry => correctionOf({ id: `c${n}`, signal: signalId(1), why: 'a test' });

describe('the log', () => {
  const mongo = useMongo();
  let connection: Connection;
  let app: Express;
  beforeEach(async () => {
    connection = mongo();
    for (const name of ['log_waiting', 'log_entries', 'log_tiles', 'log_state'])
      await connection.collection(name).deleteMany({});
    app = appOver(connection, {
      gatewayKey: gateway.publicKey,
      tlog: { log: mongoPublicLog(connection), keys: [verifierKey(signer)] },
    });
  });

  const writerOf = (
    owner: string,
    {
      store = mongoLogStore(connection, owner),
      now = () => new Date(),
      ...more
    }: Partial<LogWriterOptions> = {},
  ) => new LogWriter({ store, origin, signers: [signer], leaseMs: 10_000, now, ...more });
  /** A store whose clock shows these instants. */
  const storeAt = (...instants: Date[]): LogStore => {
    const store = mongoLogStore(connection, 'one');
    return { ...store, lease: async (...given) => (await store.lease(...given)) && instants.shift() };
  };
  const wait = (entries: readonly LogEntry[]) =>
    Promise.all(entries.map((entry) => mongoWaitingEntries(connection).add(entry)));
  const get = (path: string) =>
    askApp(app)
      .get(path)
      .buffer(true)
      .parse((res, done) => {
        const parts: Buffer[] = [];
        res.on('data', (part: Buffer) => parts.push(part));
        res.on('end', () => done(null, Buffer.concat(parts)));
      });
  const checkpoint = async () => {
    const note = readNote(String((await get('/log/checkpoint')).body));
    if (note === undefined || !isSignedBy(note, verifier)) throw new Error('the checkpoint is not signed');
    const read = readCheckpoint(note.text);
    if (read === undefined) throw new Error('the checkpoint is none');
    return read;
  };
  /** All entries, in order, as anybody reads them. */
  const published = async () => {
    const { size, root } = await checkpoint();
    const entries: Buffer[] = [];
    for (let index = 0; index * 256 < size; index++) {
      const width = Math.min(256, size - index * 256);
      const part = width === 256 ? '' : `.p/${width}`;
      const path = `${String(index).padStart(3, '0')}${part}`;
      const answer = await get(`/log/tile/entries/${path}`);
      const bundle = answer.body as Buffer;
      const some = entriesOf(
        answer.headers['content-encoding'] === 'gzip' && bundle[0] === 0x1f ? gunzipSync(bundle) : bundle,
      );
      entries.push(...(some ?? []));
      const tile = hashesOf((await get(`/log/tile/0/${path}`)).body as Buffer);
      expect(tile.map(String)).toEqual((some ?? []).map((entry) => String(leafHash(entry))));
    }
    expect(rootOf(entries.map((entry) => ({ size: 1, hash: leafHash(entry) }))).equals(root)).toBe(true);
    expect(entries).toHaveLength(size);
    return entries.map(String);
  };

  it('has each signal and each outcome once, whatever is repeated, with a proof for each', async () => {
    await using resources = new AsyncDisposableStack();
    const stack = resources.use(testStack());
    const broker = await openBroker(stack, resources);
    const topology = eventTopology(stack.namespace);
    const made = eventOf({ signal: 1, rev: 1, atMs: createdMs, mcap: 1_000 });
    const origins = { rule: 'v1', observed_at: new Date(createdMs - 5_000).toISOString() };
    const events: SignalEvent[] = [
      { ...made, change: { ...made.change, origin: origins } },
      eventOf({ signal: 1, rev: 2, atMs: createdMs + 60_000, mcap: 1_500 }),
      {
        ...eventOf({
          signal: 1,
          rev: 3,
          atMs: createdMs + 120_000,
          mcap: 2_500,
          status: 'winner',
          getsStatus: true,
        }),
        realizable: { rule: 'v1', roi: 92, entered_at: made.occurred_at, exited_at: null, exit: null },
      },
      eventOf({ signal: 2, rev: 1, atMs: createdMs, mcap: 1_000 }),
    ];
    const knownAt = new Date('2026-03-02T09:00:00Z');
    await recordObservations(broker, topology.tracker, {
      revisions: mongoRevisions(connection),
      waiting: mongoWaitingEntries(connection),
    });
    const writer = writerOf('one', { store: storeAt(...Array<Date>(1_000).fill(knownAt)) });
    for (const event of [...events, ...events])
      await broker.publish(eventMessage(topology.exchange, event, 'live'));
    await broker.publish(
      eventMessage(topology.exchange, eventOf({ signal: 3, rev: 1, atMs: createdMs, mcap: 1 }), 'bulk'),
    );
    await eventually(async () => {
      await writer.write();
      expect((await checkpoint()).size).toBe(4);
    });
    const entries = (await published()).map((text) => JSON.parse(text) as Record<string, unknown>);
    const bySignal = (signal: string) => entries.filter((entry) => entry.signal === signal);
    const known_at = knownAt.toISOString();
    expect(bySignal(signalId(1))).toMatchObject([
      {
        v: 1,
        kind: 'signal',
        origin: origins,
        known_at,
        created_at: made.data.created_at,
        source: 'producer',
      },
      { kind: 'outcome', status: 'winner', rule: null, realizable: { rule: 'v1', roi: 92 }, known_at },
    ]);
    expect(bySignal(signalId(2))).toMatchObject([{ kind: 'signal', metrics: { mcap_entry: 1_000 } }]);
    expect(bySignal(signalId(2))[0]).not.toHaveProperty('imported');
    expect(bySignal(signalId(3))).toMatchObject([{ kind: 'signal', imported: true }]);

    const answer = await askApp(app)
      .get(`/v1/signals/${signalId(1)}/proof`)
      .set(identityHeader, token);
    const { data } = answer.body as { data: SignalProof };
    const proof = signalProofSchema.parse(data);
    expect(proof.origin).toBe(origin);
    expect(proof.entries.map(({ kind }) => kind)).toEqual(['signal', 'outcome']);
    const { size, root } = await checkpoint();
    for (const { index, entry, proof: hashes, tlog_proof } of proof.entries) {
      const leaf = createHash('sha256').update(`\0${entry}`).digest();
      const found = rootOfInclusion(leaf, {
        index,
        size,
        proof: hashes.map((hash) => Buffer.from(hash, 'base64')),
      });
      expect(found?.equals(root)).toBe(true);
      expect(tlog_proof).toBe(String((await get(`/log/proof/${index}`)).body));
      expect(tlog_proof.endsWith(`\n\n${proof.checkpoint}`)).toBe(true);
    }
    const unknown = await askApp(app)
      .get(`/v1/signals/${signalId(9)}/proof`)
      .set(identityHeader, token);
    expect(unknown.status).toBe(404);
  });

  it('is one linear history of what waited, wherever its writer ends and whoever goes on', async () => {
    // Each call of a store may be the last one of its process; some have been done when it ends.
    const calls = [
      'lease',
      'release',
      'waiting',
      'known',
      'append',
      'fill',
      'publish',
      'done',
      'checkpoint',
      'tile',
    ] as const;
    let left = Number.POSITIVE_INFINITY;
    let isDone = true;
    const mortal = (owner: string): LogStore => {
      const store = mongoLogStore(connection, owner);
      const dying = calls.map((name) => [
        name,
        async (...given: never[]) => {
          if (left <= 0) throw new Error('ended');
          left -= 1;
          if (left === 0 && !isDone) throw new Error('ended before');
          const result = await (store[name] as (...given: never[]) => Promise<unknown>)(...given);
          if (left === 0) throw new Error('ended after');
          return result;
        },
      ]);
      return { ...store, ...(Object.fromEntries(dying) as object) };
    };
    let clock = Date.now();
    let count = 0;
    const seen: { size: number; root: string }[] = [];
    for (let life = 1; life <= 60; life++) {
      const entries = Array.from({ length: 1 + ((life * 37) % 60) }, () => correction(count++));
      await wait(entries);
      // Some of them again: they are in the log, or wait.
      await wait(entries.slice(0, 3));
      left = 1 + (life % 11);
      isDone = life % 2 === 0;
      clock += 20_000;
      const now = () => new Date(clock);
      const writer = writerOf(`life ${life}`, { store: mortal(`life ${life}`), now });
      await writer.write().catch(() => undefined);
      await writer.write().catch(() => undefined);
      const stored = await mongoPublicLog(connection).checkpoint();
      if (stored !== undefined) {
        const { size, root } = await checkpoint();
        seen.push({ size, root: root.toString('base64') });
      }
    }
    left = Number.POSITIVE_INFINITY;
    clock += 20_000;
    const last = writerOf('last', { now: () => new Date(clock) });
    while ((await last.write()) !== 0);
    const entries = await published();
    expect(entries).toHaveLength(count);
    expect(new Set(entries).size).toBe(count);
    for (const { size, root } of seen) {
      const earlier = rootOf(
        entries.slice(0, size).map((entry) => ({ size: 1, hash: leafHash(Buffer.from(entry)) })),
      );
      expect(earlier.toString('base64')).toBe(root);
    }
    expect(await waitingEntries(connection)).toEqual({ count: 0, since: undefined });
  });

  it('stays one history with two writers, which both believe that they are the only one', async () => {
    const both = ['a', 'b'].map((owner) =>
      writerOf(owner, { store: { ...mongoLogStore(connection, owner), lease: async () => new Date() } }),
    );
    let count = 0;
    for (let round = 0; round < 15; round++) {
      await wait(Array.from({ length: 20 }, () => correction(count++)));
      await Promise.all(both.map((writer) => writer.write()));
    }
    for (const writer of both) while ((await writer.write()) !== 0);
    const entries = await published();
    expect(entries).toHaveLength(count);
    expect(new Set(entries).size).toBe(count);
  });

  it('has one writer at a time, until its lease ends', async () => {
    let clock = Date.now();
    const now = () => new Date(clock);
    const stuck = { ...mongoLogStore(connection, 'a'), append: () => Promise.reject(new Error('stuck')) };
    const [a, b] = [writerOf('a', { now, store: stuck }), writerOf('b', { now })];
    await wait([correction(1)]);
    await expect(a.write()).rejects.toThrow('stuck');
    expect(await b.write()).toBeUndefined();
    clock += 10_001;
    expect(await b.write()).toBe(1);
    await wait([correction(2)]);
    // A batch that has ended ends the lease.
    expect(await writerOf('c', { now }).write()).toBe(1);
  });

  it('has the cosignatures of its witnesses, goes on without one that fails, and proves to each what has grown since', async () => {
    await using one = await startWitness('witness.example/one', verifier);
    await using two = await startWitness('witness.example/two', verifier);
    const text = `witness one ${one.key} ${one.url}\nwitness two ${two.key} ${two.url}\nwitness third ${verifierKey(
      { name: 'third', privateKey: generateKeyPairSync('ed25519').privateKey },
      'cosigner',
    )}\ngroup both all one two\nquorum both\n`;
    const policy = readPolicy(text);
    let clock = Date.now();
    const reasons: string[] = [];
    const witnesses = () =>
      askWitnesses(policy.witnesses, {
        refused: (...reason) => reasons.push(reason.join(': ')),
        now: () => clock,
      });
    const cosigners = async () => {
      const note = readNote(String((await get('/log/checkpoint')).body));
      const own = policy.witnesses.filter(({ verifier: key }) => note && cosignedAt(note, key) !== undefined);
      return new Set(own.map(({ name }) => name));
    };
    const write = async (writer: LogWriter, ...numbers: number[]) => {
      await wait(numbers.map(correction));
      await writer.write();
    };
    const first = writerOf('a', { witnesses: witnesses() });
    await write(first, 1, 2, 3);
    expect(await cosigners()).toEqual(new Set(['one', 'two']));
    expect(policy.isMet(await cosigners())).toBe(true);
    two.fails = 500;
    await write(first, 4, 5);
    expect(await cosigners()).toEqual(new Set(['one']));
    expect(policy.isMet(await cosigners())).toBe(false);
    expect(reasons).toEqual([expect.stringContaining('two: it answered 500')]);
    const asked = two.answers.length;
    two.fails = undefined;
    await write(first, 6);
    expect(two.answers.length).toBe(asked);
    clock += 60_000;
    await write(first, 7);
    expect(await cosigners()).toEqual(new Set(['one', 'two']));

    // Another process does not know what witnesses have cosigned.
    await write(writerOf('b', { witnesses: witnesses() }), ...Array.from({ length: 300 }, (_, n) => 10 + n));
    expect(await cosigners()).toEqual(new Set(['one', 'two']));
    expect(one.cosigned.at(-1)).toBe(307);
    expect(two.answers.slice(-3)).toEqual([409, 200, 200]);
    expect(await published()).toHaveLength(307);
  });

  it('waits for a silent witness a second at most, and ever more seldom', async () => {
    const refusals: number[] = [];
    let clock = 0;
    const asking = ({ key, url }: TestWitness) => {
      const { witnesses } = readPolicy(`witness silent ${key} ${url}\nquorum none\n`);
      const asked = askWitnesses(witnesses, { refused: () => refusals.push(clock), now: () => clock });
      return () => asked.cosign({ size: 1, note: 'a note' }, async () => []);
    };
    // A busy machine may be silent for a second, too.
    await eventually(async () => {
      refusals.length = 0;
      await using silent = await startWitness('witness.example/silent', verifier);
      silent.fails = 'silent after 409';
      const cosign = asking(silent);
      const began = performance.now();
      expect(await cosign()).toBe('');
      expect(performance.now() - began).toBeLessThan(1_900);
      // It is left out for a while, like one that refuses.
      expect(await cosign()).toBe('');
      expect(refusals).toEqual([0]);
    });
    refusals.length = 0;
    await using failing = await startWitness('witness.example/failing', verifier);
    failing.fails = 500;
    const cosign = asking(failing);
    for (clock = 0; clock < 4 * 3_600_000; clock += 60_000) expect(await cosign()).toBe('');
    expect(refusals.map((at) => at / 60_000)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
  });

  it('signs nothing where a witness has cosigned a larger tree: entries were lost that were published', async () => {
    await using witness = await startWitness('witness.example/one', verifier);
    const { witnesses: asked } = readPolicy(`witness one ${witness.key} ${witness.url}\nquorum one\n`);
    const witnesses = () => askWitnesses(asked, { refused: () => undefined });
    await wait([correction(1), correction(2)]);
    await writerOf('a', { witnesses: witnesses() }).write();
    for (const name of ['log_entries', 'log_tiles', 'log_state']) {
      await connection.collection(name).deleteMany({});
    }
    await wait([correction(3)]);
    const restored = writerOf('b', { witnesses: witnesses() });
    for (let n = 0; n < 2; n++) {
      await expect(restored.write()).rejects.toThrow('and one has cosigned 2: import the others');
    }
    expect((await get('/log/checkpoint')).status).toBe(404);
  });

  it('refuses to go on where its stored entries are not those of its checkpoint', async () => {
    await wait([correction(1), correction(2)]);
    await writerOf('a', { now: () => new Date(0) }).write();
    const tiles = connection.collection<{ _id: string }>('log_tiles');
    const tile = await tiles
      .findOne({ _id: '0/000' as string })
      .then((one) => one ?? tiles.findOne({ _id: '0/0' }));
    const hashes = Buffer.from((tile as unknown as { hashes: { buffer: Buffer } }).hashes.buffer);
    hashes[0] = (hashes[0] ?? 0) ^ 1;
    await tiles.updateOne({ _id: '0/0' }, { $set: { hashes } });
    await expect(writerOf('b').write()).rejects.toThrow('not those of its checkpoint');
  });

  it('says of no entry that it is older than the one in front, whatever the clocks say', async () => {
    const instants = [createdMs, createdMs + 3_600_000, createdMs + 60_000].map((at) => new Date(at));
    const store = storeAt(...instants);
    const times: Date[] = [];
    for (const n of [1, 2, 3]) {
      await wait([correction(n)]);
      // Each by a process that has just started.
      await writerOf('one', { store }).write();
      times.push(knownAt((await published()).at(-1) ?? ''));
    }
    expect(times).toEqual([instants[0], instants[1], instants[1]]);
  });

  it('signs nothing that does not continue what was published, also when its store was restored', async () => {
    await wait([correction(1)]);
    const running = writerOf('a');
    await running.write();
    const backUp = await connection.collection('log_state').find().toArray();
    await wait([correction(2)]);
    await running.write();
    const floor = await checkpoint();
    await connection.collection('log_state').deleteMany({});
    await connection.collection('log_state').insertMany(backUp);
    await connection.collection<{ _id: number }>('log_entries').deleteOne({ _id: 1 });
    await wait([correction(3)]);
    const afterS = (seconds: number) => () => new Date(Date.now() + seconds * 1_000);
    for (const writer of [running, running, writerOf('b', { floor, now: afterS(20) })])
      await expect(writer.write()).rejects.toThrow('1 entries stored, and 2 are published');
    await wait([correction(4)]);
    await mongoLogStore(connection, 'c').append(1, [stamped(correction(4), new Date())]);
    await expect(writerOf('b', { floor, now: afterS(40) }).write()).rejects.toThrow(
      'not those of its published checkpoint of size 2',
    );
    expect((await checkpoint()).size).toBe(1);
  });

  it('is served as static files: a checkpoint for seconds, tiles for ever, and nothing that is not published', async () => {
    expect((await get('/log/checkpoint')).status).toBe(404);
    await wait(Array.from({ length: 300 }, (_, n) => correction(n)));
    await writerOf('a').write();
    const newest = await get('/log/checkpoint');
    expect(newest.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=2',
    });
    for (const path of ['0/000', '0/001.p/44', '0/001.p/7', '1/000.p/1', 'entries/000', 'entries/001.p/44']) {
      const answer = await get(`/log/tile/${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'cache-control': 'public, max-age=31536000, immutable',
      });
    }
    for (const path of [
      'tile/0/001',
      'tile/0/001.p/45',
      'tile/0/002.p/1',
      'tile/1/000',
      'tile/0/0',
      'tile/entries/001',
      'proof/300',
      'proof/-1',
      'x',
    ])
      expect([path, (await get(`/log/${path}`)).status]).toEqual([path, 404]);
    expect((await get('/log/checkpoint?x=1')).status).toBe(400);
    expect((await get('/log/proof/299')).headers['content-disposition']).toContain('299.tlog-proof');
  });

  it('reads a tile once for each of its widths', async () => {
    const store = mongoLogStore(connection, 'one');
    const log = mongoPublicLog(connection);
    const hashes = Array.from({ length: 300 }, (_, n) => leafHash(Buffer.from(String(n))));
    const [full, partial] = [
      { level: 0, index: 0, width: 256 },
      { level: 0, index: 1, width: 40 },
    ];
    await store.fill([
      { level: 0, index: 0, hashes: hashes.slice(0, 256) },
      { level: 0, index: 1, hashes: hashes.slice(256, 296) },
    ]);
    expect(await log.tile(full)).toEqual(hashes.slice(0, 256));
    expect(await log.tile(partial)).toEqual(hashes.slice(256, 296));
    await store.fill([{ level: 0, index: 1, hashes: hashes.slice(256) }]);
    expect(await log.tile({ ...partial, width: 44 })).toEqual(hashes.slice(256));
    await connection.collection('log_tiles').deleteMany({});
    expect(await log.tile({ ...full, width: 7 })).toEqual(hashes.slice(0, 7));
    expect(await log.tile(partial)).toEqual(hashes.slice(256, 296));
    expect(await log.tile({ ...partial, width: 45 })).toBeUndefined();
  });

  it('has of a present state only what is older than events that may be on their way, which say more', () => {
    const event = eventOf({ signal: 1, rev: 2, atMs: createdMs + 60_000, mcap: 1, status: 'dead' });
    const kinds = (beforeMs: number) =>
      entriesOfState(revisionOf(revisionEventSchema.parse(event)), new Date(beforeMs)).map(
        ({ kind }) => kind,
      );
    expect(kinds(createdMs)).toEqual([]);
    expect(kinds(createdMs + 60_000)).toEqual(['signal']);
    expect(kinds(createdMs + 120_000)).toEqual(['signal', 'outcome']);
  });

  it('has entries that fit, and says what a signal without a rule is', () => {
    const event = revisionEventSchema.parse(eventOf({ signal: 1, rev: 1, atMs: createdMs, mcap: 1_000 }));
    const entry = entryOf(event, 'live');
    expect(entry && stamped(entry, new Date(createdMs)).text).toBe(
      `{"created_at":"2026-03-01T12:00:00.000Z","is_premium":false,"kind":"signal","known_at":"2026-03-01T12:00:00.000Z","metrics":{"holders":21,"liquidity":500,"mcap_entry":1000,"volume_24h":11},"signal":"${signalId(1)}","source":"producer","token":{"chain":"ethereum","contract":"0x1","symbol":"NOVA"},"type":"new","v":1}`,
    );
  });
});
