import { createHash } from 'node:crypto';
import type { NewSignal } from '@sigcast/contracts';

/** How long a repetition is recognised; afterwards its key may be used for something else. */
export const idempotencyWindowMs = 24 * 3_600_000;

/**
 * The key under which a signal is stored. It belongs to its producer, so two producers never meet in one;
 * a line of an import has its number besides. A line break separates, for no part can hold one.
 */
export function idempotencyKey(parts: {
  readonly producer: string;
  readonly key: string;
  readonly line?: number;
}): string {
  const { producer, key, line } = parts;
  return line === undefined ? `${producer}\n${key}` : `${producer}\n${key}\n${line}`;
}

/** Equal for two requests that mean the same, however their JSON is laid out. */
export function fingerprint(input: NewSignal): string {
  // The schema that parsed the input settled the order of its properties.
  return createHash('sha256').update(JSON.stringify(input)).digest('base64url');
}
