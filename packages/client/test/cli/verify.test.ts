import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  apiOf,
  decided,
  type Entry,
  filesOf,
  folderOf,
  history,
  key,
  made,
  otherKey,
  signalId,
  witnessOf,
} from './forged-log.ts';
import { finish } from './verifier.ts';

const cleaning: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleaning.splice(0)) clean();
});

type Answer = {
  readonly checks: Readonly<Record<string, string>>;
  readonly problems: readonly { readonly check: string; readonly message: string }[];
  readonly record: Readonly<Record<string, number>>;
};

/** Verifies files in a folder. */
async function verify(files: ReadonlyMap<string, Buffer>, ...more: string[]) {
  const folder = folderOf(files);
  cleaning.push(() => rmSync(folder, { recursive: true }));
  const words = ['verify', '--log', folder, '--log-only', '--json', ...more];
  const { exit, out, err } = await finish(words);
  return { exit, err, ...(JSON.parse(out || '{}') as Answer) };
}

/** Files that a server has: the same for all clients, or made for each. */
type Files = { get(path: string): Buffer | undefined };
type Served = Files | (() => Files);

/** Members that the API shows where `include` asks for them. */
const onRequest = ['outcome', 'origin', 'realizable'];

/** A server with a log and an API. */
async function served(files: Served, { signals, statistics }: ReturnType<typeof apiOf>) {
  const ofClient = new Map<string | undefined, Files>();
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    if (pathname.startsWith('/log/')) {
      const client = headers['user-agent'];
      const own = ofClient.get(client) ?? (typeof files === 'function' ? files() : files);
      ofClient.set(client, own);
      const file = own.get(pathname.replace('/log/', ''));
      response.statusCode = file === undefined ? 404 : 200;
      return response.end(file);
    }
    const at = Number(searchParams.get('cursor') ?? 0);
    const include = searchParams.getAll('include').join().split(',');
    const shown = signals.slice(at, at + 100).map((signal) => {
      const asked = Object.entries(signal).filter(
        ([name]) => !onRequest.includes(name) || include.includes(name),
      );
      return Object.fromEntries(asked);
    });
    const next = at + 100 < signals.length ? String(at + 100) : null;
    const answers: Record<string, object> = {
      '/v1/signals': { data: shown, meta: { next_cursor: next } },
      '/v1/stats': { data: statistics },
    };
    response.statusCode = answers[pathname] === undefined ? 404 : 200;
    return response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ success: true, ...answers[pathname] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleaning.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function verifyServed(...given: Parameters<typeof served>) {
  const url = await served(...given);
  const env = { SIGCAST_URL: url, SIGCAST_API_KEY: 'sk_test' };
  const { exit, out } = await finish(`verify --key ${key} --json`, { env });
  return { exit, ...(JSON.parse(out) as Answer) };
}

/** A signal of the API, to be changed. */
type Listed = Record<string, unknown> &
  Record<'token' | 'metrics' | 'origin' | 'performance' | 'outcome' | 'realizable', Record<string, unknown>>;

/** A change to each member that the log states of a signal, of its outcome and of its position. */
const changes: Readonly<Record<string, (signal: Listed) => void>> = {
  type: (signal) => (signal.type = 'other'),
  is_premium: (signal) => (signal.is_premium = true),
  created_at: (signal) => (signal.created_at = '2026-02-28T00:00:00.000Z'),
  'token.chain': ({ token }) => (token.chain = 'base'),
  'token.symbol': ({ token }) => (token.symbol = 'MOON'),
  'token.contract': ({ token }) => (token.contract = '0x'),
  'metrics.mcap_entry': ({ metrics }) => (metrics.mcap_entry = 1),
  'origin.rule': ({ origin }) => (origin.rule = 'v2'),
  'origin.observed_at': ({ origin }) => (origin.observed_at = '2026-02-28T00:00:00.000Z'),
  'performance.ath_roi': ({ performance }) => (performance.ath_roi = 90),
  'outcome.status': ({ outcome }) => (outcome.status = 'active'),
  'outcome.decided_at': ({ outcome }) => (outcome.decided_at = '2026-03-01T00:09:00.000Z'),
  'outcome.rule': ({ outcome }) => (outcome.rule = 'v2'),
  'outcome.observations': ({ outcome }) => (outcome.observations = []),
  'realizable.rule': ({ realizable }) => (realizable.rule = 'v2'),
  'realizable.roi': ({ realizable }) => (realizable.roi = 500),
  'realizable.entered_at': ({ realizable }) => (realizable.entered_at = '2026-03-01T00:00:00.000Z'),
  'realizable.exited_at': ({ realizable }) => (realizable.exited_at = null),
  'realizable.exit': ({ realizable }) => (realizable.exit = 'stop'),
};

const texts = (entries: readonly Entry[]) => JSON.stringify(entries);

describe('sigcast verify', () => {
  const entries = history(600);

  it('says of an honest log that everything holds, and what its record is', async () => {
    const { exit, checks, problems, record } = await verify(filesOf(entries), '--key', key);
    expect({ exit, problems }).toEqual({ exit: 0, problems: [] });
    expect(checks).toEqual({
      signature: 'holds',
      tree: 'holds',
      consistency: 'not checked: nothing was remembered',
      entries: 'holds',
      api: 'not checked: --log-only',
      statistics: 'not checked: --log-only',
    });
    expect(record).toMatchObject({
      entries: 718,
      signals: 600,
      active: 482,
      positions: 118,
      mean_realizable_roi: 50,
    });
  });

  it('never says more than it has checked: without a key of your own, the signature is not', async () => {
    const { exit, checks } = await verify(filesOf(entries));
    expect({ exit, signature: checks.signature }).toEqual({
      exit: 0,
      signature: 'not checked: the key is the log’s own word',
    });
    const shown = await finish(['verify', '--log', folderOf(filesOf(history(20))), '--log-only']);
    expect(shown.out).toMatch(/–.*signed by the key \(not checked/);
    const folder = folderOf(new Map());
    cleaning.push(() => rmSync(folder, { recursive: true }));
    const looked = [];
    for (const more of [[], [], ['--key', key], []])
      looked.push(await verify(filesOf(entries), '--remember', join(folder, 'log.json'), ...more));
    expect(looked.map((one) => one.checks.signature)).toEqual([
      'not checked: the key is the log’s own word',
      'not checked: the key was trusted on first use',
      'holds',
      'holds',
    ]);
  });

  it.each<[string, (some: Buffer[]) => Buffer[], RegExp]>([
    [
      'an entry changed',
      (some) => some.with(300, Buffer.from(String(some[300]).replace('solana', 'base'))),
      /other entries than 300$/,
    ],
    [
      'two entries in another order',
      (some) => some.with(7, some[8] as Buffer).with(8, some[7] as Buffer),
      /other entries than 7, 8\nEntry 8 is dated back/,
    ],
    ['an entry left out', (some) => some.toSpliced(100, 1), /breaks off|other entries/],
    [
      'an entry dated back',
      (some) =>
        some.with(500, Buffer.from(String(some[500]).replace(/"known_at":"2026/, '"known_at":"2025'))),
      /other entries than 500\nEntry 500 is dated back/,
    ],
  ])('names %s behind the signature', async (_, forge, message) => {
    const { exit, checks, problems } = await verify(filesOf(entries, forge), '--key', key);
    expect({ exit, tree: checks.tree }).toEqual({ exit: 1, tree: 'fails' });
    expect(problems.map((one) => one.message).join('\n')).toMatch(message);
  });

  it.each<[string, Entry[], RegExp]>([
    [
      'a signal that is entered twice',
      [...history(9), { ...made(3), known_at: made(9).known_at as string }],
      /^Entry 9 is a second entry of the signal sig_0+3$/,
    ],
    ['an entry that is dated back', [...history(90), made(2000), made(91)], /^Entry \d+ is dated back/],
    [
      'a signal of the future',
      [...history(9), { ...made(9), created_at: '2027-01-01T00:00:00.000Z' }],
      /^Entry 9 is dated ahead: created at 2027-01-01/,
    ],
    [
      'an outcome of the future',
      [...history(9), { ...decided(1, 'winner', 9), decided_at: '2027-01-01T00:00:00.000Z' }],
      /^Entry 9 is dated ahead: decided at 2027-01-01/,
    ],
    [
      'an outcome that is older than its signal',
      [...history(9), { ...decided(1, 'winner', 9), decided_at: '2026-01-01T00:00:00.000Z' }],
      /^Entry 9 is dated back: decided at 2026-01-01/,
    ],
    [
      'an outcome without its signal',
      [...history(9), decided(77, 'winner', 9)],
      /decides the signal sig_0+77, which is not in the log/,
    ],
    [
      'an outcome that is decided twice',
      [...history(9), decided(1, 'dead', 9), decided(1, 'winner', 9)],
      /decides sig_0+1 winner, which is dead already/,
    ],
  ])('names %s, whoever has signed it', async (_, forged, message) => {
    const { exit, problems } = await verify(filesOf(forged), '--key', key);
    expect(exit).toBe(1);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(message);
  });

  it('takes an outcome that comes before its signal, and a rug before the win, for what they are', async () => {
    const [signal, ...others] = history(9);
    const some = [decided(0, 'rugged', 3), signal as Entry, decided(0, 'winner', 3), ...others].map(
      (entry): Entry => ({ ...entry, known_at: made(9).known_at as string }),
    );
    const { exit, problems, record } = await verify(filesOf(some), '--key', key);
    expect({ exit, problems }).toEqual({ exit: 0, problems: [] });
    expect(record).toMatchObject({ rugged: 1, winners: 0, positions: 1 });
  });

  it('names an entry that is none, and remembers the log with it, as it stays there for ever', async () => {
    const place = folderOf(new Map());
    cleaning.push(() => rmSync(place, { recursive: true }));
    const memory = join(place, 'log.json');
    const odd = { ...(entries[0] as Entry), known_at: { toString: 1 } } as unknown as Entry;
    const some = [...entries, odd];
    const seen = await verify(filesOf(some), '--key', key, '--remember', memory);
    expect(seen.problems).toEqual([
      { check: 'entries', message: `Entry ${entries.length} is not an entry of version 1` },
    ]);
    const rewritten = await verify(filesOf([...some.slice(1), odd]), '--key', key, '--remember', memory);
    expect(rewritten.checks).toMatchObject({ consistency: 'fails' });
  });

  it('names another key, and a checkpoint that the key has not signed', async () => {
    const files = filesOf(entries);
    const other = await verify(files, '--key', otherKey);
    const note = String(files.get('checkpoint'));
    files.set('checkpoint', Buffer.from(note.replace('\n\n', '\nan extension\n\n')));
    const forged = await verify(files, '--key', key);
    for (const { exit, problems } of [other, forged])
      expect({ exit, checks: problems.map(({ check }) => check) }).toEqual({
        exit: 1,
        checks: ['signature'],
      });
  });

  it('names a second history, and what has changed in it, by what it remembers; and forgets nothing by it', async () => {
    const folder = folderOf(new Map());
    cleaning.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'log.json');
    const again = (some: Parameters<typeof filesOf>[0]) =>
      verify(filesOf(some), '--key', key, '--remember', file);
    expect((await again(history(300))).exit).toBe(0);
    const grown = await again(entries);
    expect({ exit: grown.exit, consistency: grown.checks.consistency }).toEqual({
      exit: 0,
      consistency: 'holds',
    });
    const before = readFileSync(file, 'utf8');
    const changed = (at: number) => entries.with(at, { ...(entries[at] as Entry), is_premium: true });
    const messages: Record<string, string> = {};
    for (const [name, forged] of Object.entries({
      early: changed(10),
      late: changed(710),
      shorter: history(500),
    })) {
      const { exit, checks, problems } = await again(forged);
      expect({ exit, consistency: checks.consistency }).toEqual({ exit: 1, consistency: 'fails' });
      messages[name] = problems.map(({ message }) => message).join('; ');
    }
    expect(messages).toMatchObject({
      early: 'Entries 0 to 255 are not what they were when you looked last',
      late: 'The first 718 entries are not those that you looked at last',
      shorter: expect.stringContaining(
        'The log had 718 entries when you looked last, and has 598 now',
      ) as string,
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('compares the API and its statistics with the log, both ways', async () => {
    const files = filesOf(entries);
    const honest = apiOf(entries);
    const { exit, checks } = await verifyServed(files, honest);
    expect({ exit, ...checks }).toMatchObject({
      exit: 0,
      api: 'holds',
      statistics: 'holds',
      signature: 'holds',
    });

    const invented = apiOf([...entries, made(9_999)]);
    const better = JSON.parse(texts(honest.signals as never)) as typeof honest.signals;
    (better[5] as { performance: { status: string } }).performance.status = 'winner';
    const { distribution } = honest.statistics;
    const counts = { ...distribution.by_status, winner: (distribution.by_status.winner ?? 0) + 1 };
    const others = JSON.parse(texts(honest.signals as never)) as Listed[];
    for (const [n, change] of Object.values(changes).entries())
      change(others.filter(({ origin, outcome }) => origin && outcome)[n] as Listed);
    // At once: what differs is looked at again for some seconds, because the log may be behind.
    const [more, hidden, altered, changed, boasted] = await Promise.all([
      verifyServed(files, { ...honest, signals: invented.signals }),
      verifyServed(files, { ...honest, signals: honest.signals.slice(1) }),
      verifyServed(files, { ...honest, signals: better }),
      verifyServed(files, { ...honest, signals: others as never }),
      verifyServed(files, {
        ...honest,
        statistics: {
          ...honest.statistics,
          win_rate: 100,
          distribution: { ...distribution, by_status: counts },
        },
      }),
    ]);
    expect(more.problems).toEqual([
      { check: 'api', message: `The API lists the signal ${signalId(9_999)}, which is not in the log` },
    ]);
    expect(hidden.problems).toEqual([
      { check: 'api', message: `Entry 0 is about the signal ${signalId(0)}, which the API does not list` },
    ]);
    expect(altered.problems).toMatchObject([
      { check: 'api', message: expect.stringContaining('is winner in the API') as string },
    ]);
    const named = changed.problems.map(({ message }) => / (\S+) is .* in the API/.exec(message)?.[1]);
    expect(named).toEqual(Object.keys(changes));
    expect(boasted.problems.map(({ check, message }) => `${check} ${message}`)).toEqual([
      expect.stringMatching(/^statistics win_rate: 100 in the statistics/),
      expect.stringMatching(/^statistics winner: \d+ in the statistics/),
    ]);
    // Another log for the comparison than the one that was verified.
    const forged = filesOf([...entries.slice(0, -1), { ...(entries.at(-1) as Entry), is_premium: true }]);
    const swapped = await verifyServed(() => {
      let looked = 0;
      const get = (path: string) =>
        (path === 'checkpoint' && looked++ === 0 ? files : looked > 1 ? forged : files).get(path);
      return { get };
    }, honest);
    expect(swapped.problems).toMatchObject([{ check: 'consistency' }]);
    expect(swapped.exit).toBe(1);
    for (const each of [more, hidden, altered, changed, boasted]) expect(each.exit).toBe(1);
  });

  it('reads each bundle once, however often it compares with the log that goes on', async () => {
    const files = filesOf(entries);
    const all: Map<string, number>[] = [];
    const { exit } = await verifyServed(() => {
      const reads = new Map<string, number>();
      const get = (path: string) => {
        if (path.startsWith('tile/')) reads.set(path, (reads.get(path) ?? 0) + 1);
        return files.get(path);
      };
      all.push(reads);
      return { get };
    }, apiOf(entries));
    const once = { 'tile/entries/000': 1, 'tile/entries/001': 1, 'tile/entries/002.p/206': 1 };
    expect(exit).toBe(0);
    for (const reads of all) expect(Object.fromEntries(reads)).toEqual(once);
  });

  it('compares with the entries that the log got meanwhile', async () => {
    const [older, newer] = [filesOf(entries.slice(0, 500)), filesOf(entries)];
    const { exit, problems } = await verifyServed(() => {
      let looked = 0;
      const get = (path: string) =>
        (path === 'checkpoint' && looked++ === 0 ? older : newer).get(path) ?? older.get(path);
      return { get };
    }, apiOf(entries));
    expect({ exit, problems }).toEqual({ exit: 0, problems: [] });
  });

  it('accepts by a policy only what its log has signed and its quorum has cosigned, and names who is missing', async () => {
    const [one, two, three] = ['one.example', 'two.example', 'three.example'].map(witnessOf) as [
      ReturnType<typeof witnessOf>,
      ReturnType<typeof witnessOf>,
      ReturnType<typeof witnessOf>,
    ];
    const folder = folderOf(new Map());
    cleaning.push(() => rmSync(folder, { recursive: true }));
    const by = async (files: Map<string, Buffer>, text = policy) => {
      writeFileSync(join(folder, 'policy'), text);
      const { exit, checks, problems } = await verify(files, '--policy', join(folder, 'policy'));
      return { exit, signature: checks?.signature, messages: problems?.map(({ message }) => message) };
    };
    const witnesses = `witness 1 ${one.text}\nwitness 2 ${two.text} https://two.example\nwitness 3 ${three.text}\n`;
    const policy = `# of a test\nlog ${key}\n${witnesses}group both all 2 3\ngroup some any 1 both\nquorum some\n`;
    const files = filesOf(entries);
    const holds = { exit: 0, signature: 'holds', messages: [] };
    expect(await by(one.cosign(files))).toEqual(holds);
    expect(await by(three.cosign(two.cosign(files)))).toEqual(holds);
    const lacking = (who: string) => ({
      exit: 1,
      signature: 'fails',
      messages: [`The checkpoint lacks the quorum of the policy: not cosigned by ${who}`],
    });
    expect(await by(two.cosign(files))).toEqual(lacking('1, 3'));
    expect(await by(one.cosign(files, 1_900_000_000))).toEqual(lacking('1, 2, 3'));
    expect(await by(one.cosign(files), policy.replace(key, otherKey))).toEqual({
      exit: 1,
      signature: 'fails',
      messages: ['The checkpoint of log.example/log is signed by no log of the policy'],
    });
    expect((await by(files, policy.replace('quorum some', 'quorum none'))).exit).toBe(0);
    const place = folderOf(files);
    cleaning.push(() => rmSync(place, { recursive: true }));
    const show = `verify --log ${place} --log-only --policy ${join(folder, 'policy')}`;
    expect((await finish(show)).out).toMatch(/yes {2}.*signed by a log of the policy/);
    await by(files);
    expect((await finish(show)).out).toMatch(
      /NO {3}.*signed by a log of the policy[^!]*! The checkpoint lacks/,
    );
    for (const wrong of [
      '',
      'quorum 9',
      `${policy}quorum 1\n`,
      policy.replace('any', '3'),
      policy.replace('any', 'constructor'),
      policy.replace('both\n', '1\n'),
    ])
      expect((await by(files, wrong)).exit).toBe(2);
    const both = await verify(files, '--key', key, '--policy', join(folder, 'policy'));
    expect(both).toMatchObject({ exit: 2, err: expect.stringContaining('exclude each other') as string });
  });

  it('says what is wrong with a key, a place, and a file to remember', async () => {
    const folder = folderOf(filesOf(history(3)));
    cleaning.push(() => rmSync(folder, { recursive: true }));
    expect(await finish(`verify --log ${folder} --log-only --key ${key.replace('+', '-')}`)).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--key must be the key of a log') as string,
    });
    expect(await finish(`verify --log ${folder}x --log-only --key ${key}`)).toMatchObject({ exit: 4 });
    expect(await finish(`verify --log ${folder} --log-only --remember ${folder}/checkpoint`)).toMatchObject({
      exit: 2,
    });
  });
});
