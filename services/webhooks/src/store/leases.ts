import { randomUUID } from 'node:crypto';
import type { Lease } from '../domain/delivery.ts';
import type { LeaseDocument } from './documents.ts';

/** The worker that takes leases, and the time. */
export type LeaseHolder = {
  /** The store's clock, in Unix milliseconds. */
  readonly now: () => number;
  /** This worker's name in leases. */
  readonly worker: () => string;
};

/** A lease that begins now, with a token of its own. */
export function newLease({ now, worker }: LeaseHolder): Lease {
  return { worker: worker(), token: randomUUID(), startedAt: new Date(now()) };
}

/** A lease as it is stored in a delivery. */
export function leaseDocument({ worker, token, startedAt }: Lease): LeaseDocument {
  return { worker, token, started_at: startedAt };
}
