import { newId } from '@sigcast/runtime';
import type { LoggedEntry } from '../domain/request-log.ts';

/** The most entries of a bucket. */
const maxEntries = 200;
/** The most time between the first and the last entry of a bucket, in milliseconds. */
export const bucketSpanMs = 600_000;

/** Entries that are added to a bucket which has `before` entries; 0 for a new one. */
export type Append = {
  readonly account: string;
  readonly bucket: string;
  readonly before: number;
  readonly entries: LoggedEntry[];
};

type Bucket = { readonly id: string; readonly firstMs: number; count: number };

/** The buckets that this process adds entries to, one an account, so that a log is read in few documents. */
export class OpenBuckets {
  readonly #open = new Map<string, Bucket>();

  /** Where an account's entries go, in order. */
  place(account: string, entries: readonly LoggedEntry[]): Append[] {
    const appends: Append[] = [];
    for (const entry of entries) {
      const bucket = this.#bucketFor(account, entry.at.getTime());
      const last = appends.at(-1);
      if (last?.bucket === bucket.id) last.entries.push(entry);
      else appends.push({ account, bucket: bucket.id, before: bucket.count, entries: [entry] });
      bucket.count += 1;
    }
    return appends;
  }

  /** Forgets the buckets that nothing is added to any more. */
  closeOld(nowMs: number): void {
    for (const [account, { firstMs }] of this.#open) {
      if (nowMs - firstMs >= bucketSpanMs) this.#open.delete(account);
    }
  }

  #bucketFor(account: string, atMs: number): Bucket {
    const open = this.#open.get(account);
    const isWithin = open !== undefined && atMs >= open.firstMs && atMs - open.firstMs < bucketSpanMs;
    if (isWithin && open.count < maxEntries) return open;
    const bucket = { id: newId('rq', atMs), firstMs: atMs, count: 0 };
    this.#open.set(account, bucket);
    return bucket;
  }
}
