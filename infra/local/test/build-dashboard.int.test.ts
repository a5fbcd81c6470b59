import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@sigcast/testing';
import { afterAll, expect, it } from 'vitest';
import { MachineLock } from '../src/machine-lock.ts';
import { buildDashboard } from '../src/system/dashboard.ts';

const dir = mkdtempSync(join(tmpdir(), 'sigcast-build-'));
afterAll(() => rmSync(dir, { recursive: true }));

it('the dashboard is built by one process at a time', async () => {
  const dist = join(import.meta.dirname, '../../../services/dashboard/dist');
  const said: string[] = [];
  const other = await MachineLock.acquire(`build ${dist}`, () => undefined);
  const building = buildDashboard({ logFile: join(dir, 'log'), report: (line) => said.push(line) });
  try {
    await eventually(() => expect(said).toEqual(['  waiting for another process that builds the dashboard']));
  } finally {
    await other[Symbol.asyncDispose]();
  }
  expect(await building).toBe(dist);
}, 120_000);
