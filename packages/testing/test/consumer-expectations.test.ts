import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectationsOf, unmet } from '../src/index.ts';

describe('expectations of a service', () => {
  let repository: string;
  const kept = { asks: 'GET /kept', as: 'nobody', gets: 200 };
  const given = { credentials: {}, values: {} };
  const write = (path: string, content: unknown) => {
    const file = join(repository, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(content));
  };
  const api = (type: string) => ({ components: { schemas: { Thing: { type } } } });
  beforeAll(() => {
    repository = mkdtempSync(join(tmpdir(), 'sigcast-expectations-'));
    const released = (version: string, asks: string) => {
      const gone = { asks, as: 'nobody', gets: 200, reads: { $ref: 'api#/components/schemas/Thing' } };
      write(`packages/contracts/released/${version}/requests.json`, { things: { shop: [kept, gone] } });
      write(`packages/contracts/released/${version}/openapi.json`, api('string'));
    };
    // A folder whose name is no version is not a release.
    write('packages/contracts/released/unreleased/notes.json', {});
    released('1.9.0', 'GET /long-gone');
    released('1.10.0', 'GET /gone');
    write('services/shop/consumes/things.json', [kept]);
    write('infra/shop/consumes/others.json', [kept]);
  });
  afterAll(() => rmSync(repository, { recursive: true }));

  it('are the requests of its consumers now, and those that only the last release makes', () => {
    expect(expectationsOf('things', repository).map(({ consumer, asks }) => [consumer, asks])).toEqual([
      ['shop', 'GET /kept'],
      ['shop of the last release', 'GET /gone'],
    ]);
  });

  it('of the last release are checked against the API document of that release', async () => {
    const server = createServer((_req, res) => res.end('"text"'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const [, gone] = expectationsOf('things', repository);
      if (gone === undefined) throw new Error('nothing is expected');
      expect(await unmet(url, gone, given)).toEqual([]);
      expect(await unmet(url, { ...gone, api: api('integer') }, given)).toEqual(['the body must be integer']);
    } finally {
      server.close();
    }
  });
});
