import { type Fate, gatedConnection, Killed } from '@sigcast/testing';
import type fc from 'fast-check';
import type { Connection } from 'mongoose';

/** What an arbitrary generates. */
export type Generated<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** A connection on which each of the first operations has one of these fates. All later operations go on. */
export function fatedConnection(connection: Connection, fates: readonly Fate[]): Connection {
  const left = [...fates];
  return gatedConnection(connection, async (moment) =>
    moment === 'before' ? (left.shift() ?? 'go on') : 'go on',
  );
}

/** Throws an error, unless it is that of a kill. */
export function throwUnlessKilled(error: unknown): void {
  if (!(error instanceof Killed)) throw error;
}
