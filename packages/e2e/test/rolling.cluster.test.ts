import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestStack, testStack } from '@sigcast/testing';
import { runRolling } from './rolling/run.ts';

let stack: TestStack;

beforeAll(() => {
  stack = testStack();
});
afterAll(async () => stack[Symbol.asyncDispose]());

describe('a rolling restart of all services, two replicas each, behind names and lists of addresses', () => {
  it('fails no request, loses and doubles no event, and ends every stream properly', async () => {
    const report = await runRolling(
      {
        // Longer than the 3 s for which the gateway keeps an idle connection: see ADR 18.
        ...{ behind: 'both', rounds: 1, together: true, shutdownDelayMs: 3_500, report: () => undefined },
        ...{ getsPerSecond: 30, patchesPerSecond: 5, eventsPerSecond: 3 },
      },
      stack,
    );
    expect(report).toMatchObject({ restarts: 10, badEnds: [], failed: [], lost: [], doubled: [] });
    expect(report).toMatchObject({ lostFromStream: [], doubledInStream: [] });
    expect(Object.keys(report.streamEnds)).toEqual(['ended']);
    expect(report.events).toBeGreaterThan(10);
  }, 600_000);
});
