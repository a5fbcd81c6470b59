import { type Checkpoint, isSignedBy, type LogKey, readCheckpoint } from './checkpoint.ts';
import { bundleSize, bundlesOf } from './entries.ts';
import { type LogFiles, tilePath } from './log-files.ts';
import type { Remembered } from './memory.ts';
import { lacking, type Policy } from './policy.ts';
import { type Problem, TrackRecord } from './record.ts';
import { hashOfEntry, Tree } from './tree.ts';

/** Whose checkpoints are accepted: those of a key, or those that meet a policy. */
export type Trust = LogKey | Policy;

/** How a log is verified: whom to trust, from what is remembered of it, and whom to tell of entries that were read. */
export type VerifierOptions = {
  readonly trust: Trust;
  readonly remembered: Remembered | undefined;
  readonly progress: (entries: number, size: number) => void;
};

/**
 * Verifies a log: the signature of its newest checkpoint, that the checkpoint is of its entries, that what is remembered is its
 * beginning, and what the entries say. It reads each entry once, and goes on from there when the log has grown.
 */
export class LogVerifier {
  readonly record = new TrackRecord();
  /** The root over the entries of each full bundle. */
  readonly bundles: string[] = [];
  readonly #read: LogFiles;
  readonly #options: VerifierOptions;
  readonly #tree = new Tree();
  /** The tree over the entries of the bundle that is not full. */
  #bundle = new Tree();
  #checkpoint: Checkpoint | undefined;
  readonly #problems: Problem[] = [];

  constructor(read: LogFiles, options: VerifierOptions) {
    this.#read = read;
    this.#options = options;
  }

  /** The newest checkpoint that was verified. */
  get checkpoint(): Checkpoint | undefined {
    return this.#checkpoint;
  }

  /** What is wrong with the log, as far as it was read. */
  get problems(): readonly Problem[] {
    return [...this.#problems, ...this.record.found];
  }

  /**
   * Verifies the newest checkpoint, and the entries that were not read yet.
   * @returns the newest checkpoint that was verified; undefined where there is none.
   */
  async readOn(): Promise<Checkpoint | undefined> {
    const { trust, remembered } = this.#options;
    const checkpoint = readCheckpoint((await this.#read('checkpoint'))?.toString('utf8') ?? '');
    if (checkpoint === undefined) return this.#checkpoint;
    const { size } = checkpoint;
    for (const message of 'logs' in trust ? lacking(checkpoint, trust) : unlike(checkpoint, trust))
      this.#report('signature', message);
    const before = this.#checkpoint ?? remembered;
    if (before && before.size > size)
      this.#report(
        'consistency',
        `The log had ${before.size} entries when you looked last, and has ${size} now`,
      );
    if (this.#checkpoint !== undefined && this.#checkpoint.size > size) return this.#checkpoint;
    await this.#readEntries(checkpoint);
    this.#checkpoint = checkpoint;
    return checkpoint;
  }

  async #readEntries(checkpoint: Checkpoint): Promise<void> {
    const { size, root } = checkpoint;
    const tree = this.#tree;
    const isFirst = this.#checkpoint === undefined;
    const remembered = isFirst ? this.#options.remembered : undefined;
    const isOld = {
      root: remembered === undefined || remembered.size > size || remembered.size === 0,
      named: false,
    };
    for await (const bundle of bundlesOf(this.#read, { from: tree.size, size })) {
      if ('missing' in bundle) {
        for (const check of ['tree', 'consistency', 'entries'])
          this.#report(check, `${bundle.missing} is missing or breaks off: nothing behind it was read`);
        return;
      }
      for (const text of bundle.entries.slice(tree.size - bundle.first)) {
        const leaf = hashOfEntry(text);
        this.record.add(tree.size, text);
        tree.add(leaf);
        this.#bundle.add(leaf);
        if (tree.size === remembered?.size) isOld.root = rootOf(tree) === remembered.root;
      }
      if (this.#bundle.size === bundleSize && this.#endBundle(remembered)) isOld.named = true;
      this.#options.progress(tree.size, size);
    }
    if (!isOld.root && !isOld.named && remembered)
      this.#report(
        'consistency',
        `The first ${remembered.size} entries are not those that you looked at last`,
      );
    if (rootOf(tree) === root) return;
    if (isFirst) this.#problems.push(...(await differingEntries(this.#read, checkpoint)));
    else
      this.#report(
        'consistency',
        `The checkpoint of ${size} entries does not continue the one that was just read`,
      );
  }

  /** @returns whether the bundle that has become full is not the remembered one. */
  #endBundle(remembered: Remembered | undefined): boolean {
    const hash = rootOf(this.#bundle);
    const before = remembered?.bundles[this.bundles.length];
    const first = this.bundles.length * bundleSize;
    this.bundles.push(hash);
    this.#bundle = new Tree();
    if (before === undefined || before === hash) return false;
    const last = first + bundleSize - 1;
    this.#report('consistency', `Entries ${first} to ${last} are not what they were when you looked last`);
    return true;
  }

  /** Names a problem, once. */
  #report(check: string, message: string): void {
    if (this.#problems.every((known) => known.message !== message || known.check !== check))
      this.#problems.push({ check, message });
  }
}

/** What is wrong with a checkpoint by the one key that is trusted. */
function unlike(checkpoint: Checkpoint, key: LogKey): string[] {
  const { origin } = checkpoint;
  return [
    ...(isSignedBy(checkpoint, key) ? [] : [`The checkpoint is not signed by the key of ${key.name}`]),
    ...(origin === key.name ? [] : [`The checkpoint is of the log ${origin}, and the key of ${key.name}`]),
  ];
}

function rootOf(tree: Tree): string {
  return tree.root.toString('base64');
}

/** Names the entries that are not those of the tree's tiles. */
async function differingEntries(
  read: LogFiles,
  { size, root }: Pick<Checkpoint, 'size' | 'root'>,
): Promise<readonly Problem[]> {
  const differ: number[] = [];
  const ofTiles = new Tree();
  for await (const bundle of bundlesOf(read, { from: 0, size })) {
    if ('missing' in bundle) break;
    const tile = await read(tilePath('0', bundle.first / 256, bundle.entries.length));
    for (const [n, entry] of bundle.entries.entries()) {
      const hash = tile?.subarray(n * 32, (n + 1) * 32);
      if (hash?.length === 32) ofTiles.add(hash);
      if (hash === undefined || !hash.equals(hashOfEntry(entry))) differ.push(bundle.first + n);
    }
  }
  if (rootOf(ofTiles) !== root || differ.length === 0)
    return [{ check: 'tree', message: 'The entries are not those that the checkpoint is signed for' }];
  const some = differ.slice(0, 20).join(', ');
  return [
    {
      check: 'tree',
      message: `The checkpoint is signed for other entries than ${some}${differ.length > 20 ? ' …' : ''}`,
    },
  ];
}
