import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pickFreePort } from '@sigcast/local';
import { clientNodeVersions, readmeSamples, runReadmeTour, tourHeading } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedSystem, type TestSystem } from '../system.ts';

const [oldest] = clientNodeVersions();
let system: TestSystem;
let dir: string;

beforeAll(async () => {
  system = await sharedSystem();
  dir = mkdtempSync(join(tmpdir(), 'sigcast-tour-'));
});
afterAll(async () => {
  if (dir) rmSync(dir, { recursive: true });
  await system?.stop();
});

describe('README', () => {
  it('has no samples besides those of the tour and those that tests of the local system and of containers run', () => {
    const counts = [...readmeSamples()].flatMap(([heading, samples]) =>
      samples.length === 0 ? [] : [[heading, samples.length]],
    );
    expect(Object.fromEntries(counts)).toEqual({
      [tourHeading]: 8,
      // infra/docker/test/compose.containers.test.ts
      'In containers': 2,
      // infra/local/test/local-system.e2e.test.ts
      Operators: 1,
    });
  });

  it('leads from the first request to a received webhook, with the oldest Node, as it is printed', async () => {
    mkdirSync(join(dir, '.local'));
    writeFileSync(
      join(dir, '.local/demo.json'),
      JSON.stringify({
        gateway_url: system.gatewayUrl,
        api_key: system.apiKey,
        signals_url: system.signalsUrl,
        ingest_token: system.ingestToken,
      }),
    );
    const env = { LISTEN: '127.0.0.1', PATH: oldest?.path ?? '' };
    const said = await runReadmeTour(dir, env, String(await pickFreePort()));
    expect(said).toMatch(/signal\.new sig_\w+ NOVA/);
    expect((await system.api('/v1/webhooks')).body.data).toEqual([]);
  });
});
