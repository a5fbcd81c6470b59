import { randomUUID } from 'node:crypto';
import { type Lease, leaseMs } from '../domain/delivery.ts';

/** A lease from `at` (Unix milliseconds) on, under a token nobody else has. */
export function newLease(at: number): Lease {
  return { token: randomUUID(), startedAt: new Date(at), until: new Date(at + leaseMs) };
}

/** What a lease is in a delivery's document: when it runs out, the sweeper looks. */
export function leaseFields(lease: Lease) {
  return {
    lease: { token: lease.token, started_at: lease.startedAt, until: lease.until },
    sweep_at: lease.until,
  };
}
