import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkpointOf, entriesOf, entriesPath, leafHash, TileEdge } from '@sigcast/tlog';
import { startProgram } from '../command.ts';
import type { TestSystem } from '../system.ts';

const everyMs = 100;
const main = fileURLToPath(new URL('../../../client/src/cli/main.ts', import.meta.url));

/** The public log of a system, looked at all the time. */
export type LogWatch = AsyncDisposable & {
  /** How many checkpoints were seen. */
  readonly seen: number;
  /**
   * How long after a signal was confirmed the first checkpoint that has it was seen, for each signal.
   * @throws unless all checkpoints that were seen are of one history, and what `sigcast verify` checks holds.
   */
  verify(confirmedAtMs: ReadonlyMap<string, number>): Promise<number[]>;
};

/** Reads the newest checkpoint of the public log again and again, whatever is killed. */
export function watchLog({ gatewayUrl, apiKey }: TestSystem): LogWatch {
  const roots = new Map<number, string>();
  const sizes: { readonly size: number; readonly seenAtMs: number }[] = [];
  const conflicts: string[] = [];
  const stopping = new AbortController();
  const read = async (path: string) => {
    const answer = await fetch(`${gatewayUrl}/log/${path}`, { signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  };
  const newest = async () => {
    const { size, root } = checkpointOf(String(await read('checkpoint'))) ?? {};
    if (size === undefined || root === undefined) throw new Error('the checkpoint can not be read');
    return { size, root: root.toString('base64') };
  };
  const look = async () => {
    // Nobody answers during some disasters.
    const found = await newest().catch(() => undefined);
    if (found === undefined) return;
    const { size, root } = found;
    const before = roots.get(size);
    if (before !== undefined && before !== root)
      conflicts.push(`two roots of ${size} entries: ${before}, ${root}`);
    roots.set(size, root);
    if (size > (sizes.at(-1)?.size ?? 0)) sizes.push({ size, seenAtMs: Date.now() });
  };
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await delay(everyMs);
    }
  })();
  return {
    get seen() {
      return roots.size;
    },
    verify: async (confirmedAtMs) => {
      const { size } = await newest();
      const tree = new TileEdge();
      const delaysMs: number[] = [];
      let seen = 0;
      for (let index = 0; index * 256 < size; index++) {
        const width = Math.min(256, size - index * 256);
        for (const entry of entriesOf(await read(entriesPath({ index, width }))) ?? []) {
          tree.append([leafHash(entry)]);
          const root = roots.get(tree.size);
          while ((sizes[seen]?.size ?? size) < tree.size) seen++;
          const { kind, signal } = JSON.parse(String(entry)) as { kind: string; signal: string };
          const confirmed = kind === 'signal' ? confirmedAtMs.get(signal) : undefined;
          if (confirmed !== undefined) delaysMs.push((sizes[seen]?.seenAtMs ?? Date.now()) - confirmed);
          if (root !== undefined && root !== tree.root.toString('base64'))
            conflicts.push(`another root of ${tree.size} entries`);
        }
      }
      if (conflicts.length > 0) throw new Error(`the log has two histories: ${conflicts.join('; ')}`);
      const env = { SIGCAST_API_KEY: apiKey, SIGCAST_URL: gatewayUrl };
      const command = startProgram(process.execPath, [main, 'verify'], { env });
      const { code } = await command.ended;
      if (code !== 0) throw new Error(`sigcast verify: ${command.out()}${command.err()}`);
      return delaysMs;
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await looking;
    },
  };
}
