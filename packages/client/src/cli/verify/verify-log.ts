import { type Checkpoint, isSignedBy, type LogKey, readCheckpoint } from './checkpoint.ts';
import { bundlesOf } from './entries.ts';
import { type LogFiles, tilePath } from './log-files.ts';
import type { Remembered } from './memory.ts';
import { type Problem, TrackRecord } from './record.ts';
import { hashOfEntry, Tree } from './tree.ts';

/** A verified log: its checkpoint, its record, what is to be remembered, and what is wrong. */
export type VerifiedLog = {
  readonly checkpoint: Checkpoint;
  readonly record: TrackRecord;
  readonly bundles: readonly string[];
  readonly problems: readonly Problem[];
};

/**
 * Reads a whole log and verifies it: the signature of its newest checkpoint, that the checkpoint is of its entries, that what is remembered is its
 * beginning, and what the entries say.
 * @returns undefined where there is no checkpoint.
 */
export async function verifyLog(
  read: LogFiles,
  {
    key,
    remembered,
    progress,
  }: {
    readonly key: LogKey;
    readonly remembered: Remembered | undefined;
    readonly progress: (entries: number, size: number) => void;
  },
): Promise<VerifiedLog | undefined> {
  const checkpoint = readCheckpoint((await read('checkpoint'))?.toString('utf8') ?? '');
  if (checkpoint === undefined) return undefined;
  const problems: Problem[] = [];
  const report = (check: string, message: string) => problems.push({ check, message });
  const { origin, size, root } = checkpoint;
  if (!isSignedBy(checkpoint, key))
    report('signature', `The checkpoint is not signed by the key of ${key.name}`);
  if (origin !== key.name)
    report('signature', `The checkpoint is of the log ${origin}, and the key of ${key.name}`);
  if (remembered && remembered.size > size)
    report('consistency', `The log had ${remembered.size} entries when you looked last, and has ${size} now`);
  const tree = new Tree();
  const record = new TrackRecord();
  const bundles: string[] = [];
  const isOld = { root: remembered === undefined || remembered.size > size, named: false };
  for await (const bundle of bundlesOf(read, size)) {
    if ('missing' in bundle) {
      for (const check of ['tree', 'consistency', 'entries'])
        report(check, `${bundle.missing} is missing or breaks off: nothing behind it was read`);
      return { checkpoint, record, bundles, problems };
    }
    const own = new Tree();
    const leaves = bundle.entries.map(hashOfEntry);
    for (const [n, leaf] of leaves.entries()) {
      tree.add(leaf);
      own.add(leaf);
      const text = bundle.entries[n];
      if (text !== undefined) record.add(bundle.first + n, text);
      if (tree.size === remembered?.size) isOld.root = tree.root.toString('base64') === remembered.root;
    }
    const hash = own.root.toString('base64');
    const before = remembered?.bundles[bundles.length];
    if (before !== undefined && before !== hash) {
      isOld.named = true;
      report(
        'consistency',
        `Entries ${bundle.first} to ${bundle.first + leaves.length - 1} are not what they were when you looked last`,
      );
    }
    if (leaves.length === 256) bundles.push(hash);
    progress(tree.size, size);
  }
  record.end();
  if (remembered?.size === 0) isOld.root = true;
  if (!isOld.root && !isOld.named && remembered)
    report('consistency', `The first ${remembered.size} entries are not those that you looked at last`);
  if (tree.root.toString('base64') !== root) problems.push(...(await differingEntries(read, { size, root })));
  return { checkpoint, record, bundles, problems: [...problems, ...record.found] };
}

/** Names the entries that are not those of the tree's tiles. */
async function differingEntries(
  read: LogFiles,
  { size, root }: Pick<Checkpoint, 'size' | 'root'>,
): Promise<readonly Problem[]> {
  const differ: number[] = [];
  const ofTiles = new Tree();
  for await (const bundle of bundlesOf(read, size)) {
    if ('missing' in bundle) break;
    const tile = await read(tilePath('0', bundle.first / 256, bundle.entries.length));
    for (const [n, entry] of bundle.entries.entries()) {
      const hash = tile?.subarray(n * 32, (n + 1) * 32);
      if (hash?.length === 32) ofTiles.add(hash);
      if (hash === undefined || !hash.equals(hashOfEntry(entry))) differ.push(bundle.first + n);
    }
  }
  const areTiles = ofTiles.root.toString('base64') === root;
  if (!areTiles || differ.length === 0)
    return [{ check: 'tree', message: 'The entries are not those that the checkpoint is signed for' }];
  const some = differ.slice(0, 20).join(', ');
  return [
    {
      check: 'tree',
      message: `The checkpoint is signed for other entries than ${some}${differ.length > 20 ? ' …' : ''}`,
    },
  ];
}
