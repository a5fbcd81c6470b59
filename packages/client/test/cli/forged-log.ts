import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  canonicalJson,
  checkpointText,
  cosignedText,
  entriesPath,
  entryBundle,
  type JsonValue,
  leafHash,
  readVerifierKey,
  signatureLine,
  signNote,
  TileEdge,
  tilePath,
  tilesOf,
  verifierKey,
} from '@sigcast/tlog';

export const origin = 'log.example/log';
const { privateKey } = generateKeyPairSync('ed25519');
export const key = verifierKey({ name: origin, privateKey });
export const otherKey = verifierKey({ name: origin, privateKey: generateKeyPairSync('ed25519').privateKey });

const startMs = Date.parse('2026-03-01T00:00:00Z');
const iso = (ms: number) => new Date(ms).toISOString();

/** An entry as a value. */
export type Entry = { readonly [name: string]: JsonValue };

/** The id of the signal of a number. */
export const signalId = (n: number): string => `sig_${String(n).padStart(20, '0')}`;

/** The entry of a new signal; signal `n` is created at the minute `n`. */
export function made(n: number): Entry {
  return {
    v: 1,
    kind: 'signal',
    signal: signalId(n),
    type: n % 3 === 0 ? '3d' : 'new',
    token: { chain: 'solana', contract: `0x${n}`, symbol: 'NOVA' },
    is_premium: false,
    created_at: iso(startMs + n * 60_000),
    metrics: { mcap_entry: 1_000 + n, liquidity: 1, volume_24h: 2, holders: 3 },
    ...(n % 2 === 0 && { origin: { rule: 'v1', observed_at: iso(startMs + n * 60_000 - 5_000) } }),
    source: 'producer',
    known_at: iso(startMs + n * 60_000 + 1_000),
  };
}

/** The entry of a decision, at the minute `at`. */
export function decided(n: number, status: string, at: number): Entry {
  return {
    v: 1,
    kind: 'outcome',
    signal: signalId(n),
    status,
    decided_at: iso(startMs + at * 60_000),
    rule: 'v1',
    observations: [iso(startMs + at * 60_000 - 2_000)],
    metrics: { mcap_entry: 1_000 + n, mcap_current: 1_500 + n, mcap_ath: 2_000 + n },
    realizable: {
      rule: 'v1',
      roi: 50,
      entered_at: iso(startMs + n * 60_000),
      exited_at: iso(startMs + at * 60_000),
      exit: 'target',
    },
    source: 'tracker',
    known_at: iso(startMs + at * 60_000 + 1_000),
  };
}

/** A history: so many signals, of which each fifth is decided. */
export function history(signals: number): Entry[] {
  const statuses = ['winner', 'dead', 'rugged'];
  return Array.from({ length: signals }, (_, n) =>
    n >= 10 && n % 5 === 0 ? [made(n), decided(n - 7, statuses[(n / 5) % 3] as string, n)] : [made(n)],
  ).flat();
}

/** The files of a log of entries. `forge` changes its entries behind its tiles. */
export function filesOf(entries: readonly Entry[], forge: (texts: Buffer[]) => Buffer[] = (texts) => texts) {
  const texts = entries.map((entry) => Buffer.from(canonicalJson(entry)));
  const edge = new TileEdge();
  const files = new Map<string, Buffer>();
  const grown = edge.append(texts.map(leafHash));
  const hashes = new Map(grown.map((tile) => [`${tile.level}/${tile.index}`, tile.hashes]));
  for (const tile of tilesOf(texts.length))
    files.set(tilePath(tile), Buffer.concat(hashes.get(`${tile.level}/${tile.index}`) ?? []));
  const shown = forge(texts);
  for (let index = 0; index * 256 < shown.length; index++) {
    const some = shown.slice(index * 256, (index + 1) * 256);
    files.set(entriesPath({ index, width: some.length }), entryBundle(some));
  }
  const { size, root } = edge;
  const note = signNote(checkpointText({ origin, size, root }), [{ name: origin, privateKey }]);
  files.set('checkpoint', Buffer.from(note));
  files.set('key', Buffer.from(`${key}\n`));
  return files;
}

/** A witness: its key, and what it adds to the checkpoint among the files of a log. */
export function witnessOf(name: string) {
  const signer = { name, privateKey: generateKeyPairSync('ed25519').privateKey };
  const text = verifierKey(signer, 'cosigner');
  const cosign = (files: Map<string, Buffer>, timeS = 1_800_000_000): Map<string, Buffer> => {
    const note = String(files.get('checkpoint'));
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(timeS));
    const cosigned = cosignedText(note.slice(0, note.indexOf('\n\n') + 1), 1_800_000_000);
    const signature = Buffer.concat([time, sign(null, Buffer.from(cosigned), signer.privateKey)]);
    const { id } = readVerifierKey(text, 'cosigner');
    return new Map(files).set('checkpoint', Buffer.from(note + signatureLine({ name, id, signature })));
  };
  return { text, cosign };
}

/** Writes files into a new folder. */
export function folderOf(files: ReadonlyMap<string, Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'sigcast-log-'));
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}

/** What the API says where it says what the log does. */
export function apiOf(entries: readonly Entry[]) {
  const outcomes = new Map(
    entries.filter(({ kind }) => kind === 'outcome').map((entry) => [entry.signal, entry]),
  );
  const signals = entries
    .filter(({ kind }) => kind === 'signal')
    .map((entry) => {
      const { signal, type, created_at, is_premium, token, metrics, origin = null } = entry;
      const {
        status = 'active',
        decided_at,
        rule,
        observations,
        realizable = null,
      } = outcomes.get(signal) ?? {};
      return {
        id: signal,
        type,
        created_at,
        is_premium,
        token: token as Entry,
        // What was observed last.
        metrics: { ...(metrics as Entry), liquidity: 7, volume_24h: 8, holders: 9 } as Entry,
        performance: { roi: 0, ath_roi: 250, status: status as string },
        origin,
        outcome:
          decided_at === undefined ? null : { status, decided_by: 'rule', decided_at, rule, observations },
        realizable,
      };
    });
  const counted = (of: typeof signals) =>
    Object.fromEntries(
      ['active', 'winner', 'dead', 'rugged'].map((one) => [
        one,
        of.filter(({ performance }) => performance.status === one).length,
      ]),
    );
  const figures = (of: typeof signals) => {
    const winners = of.filter(({ performance }) => performance.status === 'winner').length;
    return { total: of.length, winners, win_rate: Math.round((winners / of.length) * 10_000) / 100 };
  };
  const ofType = (type: string) => signals.filter((one) => one.type === type);
  const types = ['new', '3d'];
  const { total: total_signals, ...rest } = figures(signals);
  return {
    signals,
    statistics: {
      total_signals,
      ...rest,
      by_type: Object.fromEntries(types.map((type) => [type, figures(ofType(type))])),
      distribution: {
        by_status: counted(signals),
        by_type: Object.fromEntries(types.map((type) => [type, { by_status: counted(ofType(type)) }])),
      },
    },
  };
}
