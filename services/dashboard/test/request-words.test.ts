import type { LoggedRequest } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { isFiltered, requestFilterIn, requestQuery, requestSearch } from '../src/api/request-filter.ts';
import { missingParts, repeatCommand, summaryOf } from '../src/routes/requests/request-words.ts';

const origin = 'https://api.example.test';
const requestTo = (method: string, route: string | null) => ({ method, route }) as LoggedRequest;

describe('the command that repeats a request', () => {
  it('has the key in a variable, and says what the log does not keep', () => {
    const request = requestTo('PATCH', '/v1/webhooks/{webhook_id}');
    expect(repeatCommand(origin, request)).toBe(
      [
        "curl -g -i -X PATCH 'https://api.example.test/v1/webhooks/{webhook_id}' \\",
        '  -H "Authorization: Bearer $SIGCAST_API_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        "  --data '{}'",
      ].join('\n'),
    );
    expect(missingParts(request)).toBe(
      'Add identifiers for the braces and the body. The log does not keep them.',
    );
  });

  it('needs nothing more for a plain GET, and does not exist for a path that the API does not have', () => {
    const request = requestTo('GET', '/v1/signals');
    expect(repeatCommand(origin, request)).toContain("curl -g -i 'https://api.example.test/v1/signals'");
    expect(missingParts(request)).toBeUndefined();
    expect(repeatCommand(origin, requestTo('GET', null))).toBeUndefined();
  });
});

it('the figures of requests count their errors, and leave the length of streams out of the latency', () => {
  const requests = [...Array(20).keys()].map((at) => ({
    route: '/v1/signals',
    status: at === 0 ? 500 : at < 3 ? 404 : 200,
    latency_ms: at + 1,
  }));
  const stream = { route: '/v1/stream', status: 200, latency_ms: 60_000 };
  expect(summaryOf([...requests, stream] as LoggedRequest[])).toEqual({
    ...{ clientErrors: 2, serverErrors: 1 },
    ...{ p50: 10, p95: 19 },
  });
  expect(summaryOf([stream] as LoggedRequest[])).toMatchObject({ p50: undefined, p95: undefined });
});

describe('the filter of requests in an address', () => {
  it('comes back as it was', () => {
    const query = new URLSearchParams({
      status: '4xx',
      key: 'dashboard',
      route: '/v1/signals/{signal_id}',
      request_id: 'req_12345678',
    });
    expect(requestQuery(requestFilterIn(query.toString())).toString()).toBe(query.toString());
  });

  it.each([
    ['', 'programs', ''],
    ['key=all', null, 'key=all'],
    ['key=dashboard', 'dashboard', 'key=dashboard'],
    ['request_id=req_12345678', null, 'request_id=req_12345678'],
    ['request_id=req_12345678&key=programs', 'programs', 'key=programs&request_id=req_12345678'],
  ])('is of programs unless the address %j says otherwise', (search, key, stays) => {
    const filter = requestFilterIn(search);
    expect(filter.key).toBe(key);
    expect(requestSearch(filter).toString()).toBe(stays);
  });

  it.each(['status=ok', 'key=mine', 'route=signals', 'request_id=1'])('%j counts as left out', (query) => {
    expect(isFiltered(requestFilterIn(query))).toBe(false);
  });
});
