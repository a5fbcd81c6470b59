import { randomUUID } from 'node:crypto';
import type { Lease } from '../domain/delivery.ts';
import type { LeaseDocument } from './documents.ts';

/** Who writes, and when it is. */
export type Writer = {
  /** The store's clock, in Unix milliseconds. */
  readonly now: () => number;
  /** This worker's name in leases. */
  readonly worker: () => string;
};

/** A lease from now on, under a token nobody else has. */
export function newLease({ now, worker }: Writer): Lease {
  return { worker: worker(), token: randomUUID(), startedAt: new Date(now()) };
}

/** What a lease is in a delivery's document. */
export function leaseDocument({ worker, token, startedAt }: Lease): LeaseDocument {
  return { worker, token, started_at: startedAt };
}
