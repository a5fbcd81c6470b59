import { describe, expect, it } from 'vitest';
import { apiRoutes, costOf, findApiRoute, isApiTarget, originForm } from '../src/domain/api-routes.ts';
import { countedAddress } from '../src/domain/client-address.ts';
import { upstreamHeaders } from '../src/proxy/headers.ts';

describe('what clients may reach', () => {
  it.each([
    ['/v1/signals', 'signals'],
    ['/v1/signals/sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z', 'signals'],
    ['/v1/signals/sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z/history', 'tracker'],
    ['/v1/stats', 'stats'],
    ['/v1/stats/series', 'stats'],
    ['/v1/webhooks', 'webhooks'],
    ['/v1/webhooks/wh_1/deliveries/evt_1:wh_1/retry', 'webhooks'],
    ['/v1/events', 'webhooks'],
  ])('%s is forwarded to %s', (path, upstream) => {
    expect(findApiRoute(path)?.upstream).toBe(upstream);
  });

  it.each(['as_of=2026-01-01', 'limit=1&as_of=', 'as_of=1&as_of=2', 'as%5Fof=2026-01-01'])(
    'signals and statistics are forwarded to the tracker with the query %s, which asks for the past',
    (query) => {
      for (const path of ['/v1/signals', '/v1/signals/sig_1', '/v1/stats'])
        expect(findApiRoute(path, query)?.upstream).toBe('tracker');
      expect(findApiRoute('/v1/stats/series', query)?.upstream).toBe('stats');
      expect(findApiRoute('/v1/webhooks', query)?.upstream).toBe('webhooks');
    },
  );

  it.each(['', 'as_off=1', 'limit=1', 'symbol=as_of'])(
    'signals and statistics are forwarded to their own services with the query %j',
    (query) => {
      expect(findApiRoute('/v1/signals', query)?.upstream).toBe('signals');
      expect(findApiRoute('/v1/stats', query)?.upstream).toBe('stats');
    },
  );

  it.each([
    ['', 1],
    ['sort=created_at', 1],
    ['sort=roi', 5],
    ['limit=1&so%72t=roi', 5],
    ['filter={}', 5],
    ['filter={}&as_of=2026-01-01', 5],
  ])(
    'a list of signals with the query %j counts as %i, because a sorted or filtered one reads up to thousands',
    (query, cost) => {
      expect(costOf(findApiRoute('/v1/signals', query), 'GET')).toBe(cost);
      expect(costOf(findApiRoute('/v1/events', query), 'GET')).toBe(1);
    },
  );

  it.each([
    '/v1',
    '/v1/',
    '/v1/signal',
    '/v1/signals/a/b',
    '/v1/signals/history/history/a',
    '/v1/signals//history',
    '/v1/stats/serie',
    '/v1/stats/series/a',
    '/V1/signals',
    '/v1//signals',
    '/v1/./signals',
    '/v1/signals/.',
    '/v1/signals/..',
    '/v1/signals/../../internal/v1/signals',
    '/v1/signals/..%2f..%2finternal/v1/signals',
    '/v1/signals/..%2F..%2Finternal%2Fv1%2Fsignals',
    '/v1/signals/%2e%2e',
    '/v1/signals/..%5c..%5cinternal',
    '/v1/signals/..\\internal',
    '/v1/webhooks/../../internal/v1/signals',
    '/v1/webhooks/%2e%2e/%2e%2e/internal/v1/signals',
    '/v1/webhooks/%252e%252e/internal',
    '/v1/webhooks//internal',
    '/internal/v1/signals',
  ])('%s is forwarded to no service', (path) => {
    expect(findApiRoute(path)).toBeUndefined();
  });

  it.each(apiRoutes)('$template with a slash at its end is forwarded to no service', ({ template }) => {
    expect(findApiRoute(template)?.template).toBeDefined();
    expect(findApiRoute(`${template}/`)).toBeUndefined();
  });

  it.each([
    ['/v1/signals', '/v1/signals'],
    ['/v1/signals/sk_a_key_that_was_put_here_by_mistake', '/v1/signals/:signal_id'],
    ['/v1/stats/series', '/v1/stats/series'],
    ['/v1/webhooks/wh_1', '/v1/webhooks/:webhook_id'],
    ['/v1/webhooks/wh_1/rotate-secret', '/v1/webhooks/:webhook_id/rotate-secret'],
    ['/v1/webhooks/wh_1/deliveries/d_1/retry', '/v1/webhooks/:webhook_id/deliveries/:delivery_id/retry'],
    ['/v1/what/ever', undefined],
  ])('%s appears in metrics and logs as %s', (path, template) => {
    expect(findApiRoute(path)?.template).toBe(template);
  });

  it('originForm and isApiTarget understand targets in origin form and in absolute form', () => {
    expect(originForm('http://example.test/v1/signals?limit=1')).toBe('/v1/signals?limit=1');
    expect(originForm('http://example.test')).toBe('/');
    expect(originForm('/v1/signals?u=http://x/')).toBe('/v1/signals?u=http://x/');
    expect(isApiTarget('/v1')).toBe(true);
    expect(isApiTarget('/v10/signals')).toBe(false);
    expect(isApiTarget('/healthz')).toBe(false);
    expect(isApiTarget('http://example.test/v1?limit=1')).toBe(true);
  });
});

describe("a client's trace", () => {
  it('is not forwarded: a service gets the gateway’s traceparent or none', () => {
    const rawHeaders = [
      ...['Traceparent', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`],
      ...['tracestate', 'vendor=x', 'Baggage', 'user=admin', 'Accept', 'text/html'],
    ];
    const own = { requestId: 'req_1', identity: 'token', bodyLength: undefined };
    const untraced = upstreamHeaders({ rawHeaders, headers: {} }, own);
    expect(untraced.join(' ')).not.toMatch(/traceparent|tracestate|baggage/i);
    expect(untraced).toContain('text/html');
    const traced = upstreamHeaders({ rawHeaders, headers: {} }, { ...own, traceparent: 'ours' });
    expect(traced.filter((name) => name === 'traceparent')).toHaveLength(1);
    expect(traced[traced.indexOf('traceparent') + 1]).toBe('ours');
  });
});

describe('a client address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['203.0.113.7:51234', '203.0.113.7'], // some proxies add the port
    ['[2001:db8:1:2:3:4:5:6]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2:3:4:5:6]', '2001:db8:1:2::/64'],
    [undefined, 'unknown'],
  ])('%s is counted as %s', (remote, counted) => {
    expect(countedAddress(remote)).toBe(counted);
  });
});
