import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { askApp } from '../src/index.ts';

describe('a test that asks a service', () => {
  const app =
    (body: unknown): RequestListener =>
    (_req, res) =>
      res
        .setHeaders(
          new Map([
            ['content-type', 'application/json'],
            ['x-request-id', 'req_12345678'],
            ['etag', '"1"'],
          ]),
        )
        .end(JSON.stringify(body));
  const internal = { 'GET /internal/v1/signals/{id}': z.strictObject({ rev: z.int() }) };

  it('fails by an answer that is not as the API document describes it', async () => {
    await expect(askApp(app({ success: true, data: [] })).get('/v1/signals?limit=1')).rejects.toThrow(
      /GET \/v1\/signals → 200: .*'meta'/,
    );
  });

  it('fails by an internal answer that is not as its schema describes it', async () => {
    const ask = (body: unknown) => askApp(app(body), internal).get('/internal/v1/signals/sig_1?limit=1');
    await expect(ask({ rev: '1' })).rejects.toThrow('expected number');
    expect((await ask({ rev: 1 })).body).toEqual({ rev: 1 });
  });
});
