import { setTimeout as delay } from 'node:timers/promises';
import type { ApiBody, ApiReader } from '../api-reader.ts';
import type { Asked, Kind } from './kinds.ts';

/** Between two requests: 50 a second. */
export const everyMs = 20;

/** An answered request. */
export type Read = {
  readonly kind: Kind;
  readonly path: string;
  readonly ms: number;
  readonly status: number;
  readonly body: ApiBody;
};

/**
 * Asks each of these kinds in turn, so many turns, one request every 20 ms whether or not the ones before are answered.
 * Resolves when all are. @throws what `seen` throws, and when a connection breaks.
 */
export async function readSteadily(
  system: Asked & { readonly get: ApiReader },
  kinds: readonly Kind[],
  turns: number,
  seen: (read: Read) => void,
): Promise<void> {
  const answers: Promise<void>[] = [];
  const asked = new Map<Kind, number>();
  let failure: Error | undefined;
  const ask = async (kind: Kind, path: string) => {
    const startedAt = performance.now();
    const answer = await system.get(path);
    seen({ kind, path, ms: performance.now() - startedAt, ...answer });
  };
  let dueAt = performance.now();
  for (let turn = 0; turn < turns; turn += 1) {
    for (const kind of kinds) {
      dueAt += everyMs;
      await delay(Math.max(0, dueAt - performance.now()));
      if (failure !== undefined) throw failure;
      const before = asked.get(kind) ?? 0;
      asked.set(kind, before + 1);
      const answer = ask(kind, kind.path(system, before)).catch((error: unknown) => {
        failure = error as Error;
      });
      answers.push(answer);
    }
  }
  await Promise.all(answers);
  if (failure !== undefined) throw failure;
}

/** The value below which this share of the values is. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
