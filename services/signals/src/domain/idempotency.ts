import { createHash } from 'node:crypto';
import type { NewSignal } from '@sigcast/contracts';

/**
 * The key under which a signal is stored: the producer, the producer's key and the line's number in an import. A line
 * break separates the parts, because no part can contain one.
 */
export function idempotencyKey(parts: {
  readonly producer: string;
  readonly key: string;
  readonly line?: number;
}): string {
  const { producer, key, line } = parts;
  return line === undefined ? `${producer}\n${key}` : `${producer}\n${key}\n${line}`;
}

/** A hash that is equal for two requests with the same content, whatever the layout of their JSON. */
export function fingerprint(input: NewSignal): string {
  // The properties are in the schema's order, since the schema parsed the input.
  return createHash('sha256').update(JSON.stringify(input)).digest('base64url');
}
