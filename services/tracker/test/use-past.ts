import { identityHeader } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { askApp, testKeyPair } from '@sigcast/testing';
import type { Express } from 'express';
import { beforeAll, beforeEach } from 'vitest';
import type { AppDeps } from '../src/app.ts';
import { revisionOf } from '../src/domain/revision.ts';
import { mongoRevisions } from '../src/store/mongo-revisions.ts';
import { observationsCollection } from '../src/store/observation-document.ts';
import { trackedCollection } from '../src/store/tracked-document.ts';
import { type Change, createdMs, eventOf } from './events.ts';
import { appOver, useMongo } from './fixture.ts';

const minuteMs = 60_000;
export const minutesOfDay = 24 * 60;

/**
 * The service's routes and its consumer over a database of their own, with one clock, which begins anew with each test. The
 * clock and all instants are in minutes since the creation of the signals.
 */
export function usePast() {
  const mongo = useMongo();
  const keys = testKeyPair();
  const sign = identitySigner('gateway', keys.privateKey, 'tracker');
  const tokenOf = (subject: string) => sign({ subject, scopes: [], ttlS: 600 });
  const token = tokenOf('acct_1');
  let app: Express;
  let nowMs = createdMs;
  const now = () => new Date(nowMs);
  const setClock = (minutes: number) => {
    nowMs = createdMs + minutes * minuteMs;
  };
  const appWith = (more: Partial<AppDeps> = {}) =>
    appOver(mongo(), { gatewayKey: keys.publicKey, now, ...more });
  const revisions = () => mongoRevisions(mongo(), now);
  beforeAll(() => {
    app = appWith();
  });
  beforeEach(async () => {
    for (const name of [observationsCollection, trackedCollection])
      await mongo().collection(name).deleteMany({});
    setClock(0);
  });
  return {
    mongo,
    token,
    tokenOf,
    now,
    setClock,
    appWith,
    revisions,
    at: (minutes: number) => new Date(createdMs + minutes * minuteMs).toISOString(),
    get: (path: string) => askApp(app).get(path).set(identityHeader, token),
    /** Sets the clock, and has a change recorded that happened then. */
    record: async (minutes: number, change: Omit<Change, 'atMs' | 'signal'> & { signal?: number }) => {
      setClock(minutes);
      await revisions().record(revisionOf(eventOf({ signal: 1, atMs: nowMs, ...change })));
    },
  };
}
