import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackingServices } from '@sigcast/local';
import { testStack } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { runRolling } from './rolling/run.ts';

describe('a rolling restart of all services, two replicas each, behind names and lists of addresses', () => {
  it('fails no request, loses and doubles no event, and ends every stream properly', async () => {
    await using backing = await startBackingServices({
      dataDir: mkdtempSync(join(tmpdir(), 'sigcast-rolling-')),
      env: {},
      ephemeral: true,
      report: (line) => process.stderr.write(`${line}\n`),
    });
    await using stack = testStack(backing);
    const report = await runRolling(
      {
        // Longer than the 3 s for which the gateway keeps an idle connection: see ADR 18.
        behind: 'both',
        rounds: 1,
        together: true,
        shutdownDelayMs: 3_500,
        report: () => undefined,
        getsPerSecond: 30,
        patchesPerSecond: 5,
        eventsPerSecond: 3,
      },
      stack,
    );
    expect(report).toMatchObject({ restarts: 10, badEnds: [], failed: [], lost: [], doubled: [] });
    expect(report).toMatchObject({ lostFromStream: [], doubledInStream: [] });
    expect(Object.keys(report.streamEnds)).toEqual(['ended']);
    expect(report.events).toBeGreaterThan(10);
  }, 600_000);
});
