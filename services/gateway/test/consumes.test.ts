import { openApiDocument } from '@sigcast/contracts';
import { expectationsOf } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { findApiRoute } from '../src/domain/api-routes.ts';
import { checkAnswer, isFailureEnvelope } from '../src/proxy/answer-check.ts';

const { paths } = openApiDocument('') as { paths: Record<string, object> };
const providers = ['signals', 'stats', 'webhooks', 'tracker'] as const;
const expectations = providers.flatMap((provider) =>
  expectationsOf(provider)
    .filter(({ consumer }) => consumer === 'gateway')
    .map((expectation) => ({ ...expectation, provider })),
);

/** Method and path of a request, with `{}` for every id and parameter, and without the query. */
const shape = (asks: string) => asks.replace(/\?.*/, '').replace(/\{\w+\}|\b(sig|wh)_0+\b/g, '{}');

describe('an expectation that the gateway records of a service', () => {
  it('is there for each operation of the API that the gateway forwards, and for HEAD of each GET', () => {
    const documented = Object.entries(paths)
      .filter(([path]) => path.startsWith('/v1/'))
      .flatMap(([path, item]) =>
        Object.keys(item).flatMap((method) =>
          (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]).map((verb) =>
            shape(`${verb} ${path}`),
          ),
        ),
      );
    const recorded = expectations.filter(({ asks }) => asks.includes(' /v1/')).map(({ asks }) => shape(asks));
    expect([...new Set(recorded)].sort()).toEqual([...new Set(documented)].sort());
  });

  it('is recorded for the service to which the gateway forwards the request, with a method that it forwards', () => {
    for (const { asks, provider } of expectations.filter((one) => one.asks.includes(' /v1/'))) {
      const [method = '', target = ''] = asks.split(' ');
      const route = findApiRoute(...(target.split('?') as [string, string?]));
      expect([asks, route?.upstream.replace('streams', 'webhooks')]).toEqual([asks, provider]);
      expect([asks, route?.methods.includes(method)]).toEqual([asks, true]);
    }
  });

  it.each(expectations.filter(({ headers }) => headers?.['content-type'] !== undefined))(
    'of $gets to $asks is an answer that the gateway passes on, unless it is 401: the service refused the identity token',
    ({ asks, gets, headers }) => {
      const [method = ''] = asks.split(' ');
      const type = headers?.['content-type']?.replace(/\^|\\b/g, '');
      const judged = checkAnswer(method, gets, { 'content-type': type });
      expect(judged).toBe(gets === 401 ? 'broken' : 'pass');
    },
  );

  it('of a failure has the members by which the gateway recognises our envelope', () => {
    const failures = expectations.filter(({ gets }) => gets >= 400);
    expect(failures.length).toBeGreaterThan(0);
    for (const { reads } of failures) {
      const { required, properties } = reads as {
        required: string[];
        properties: { error: { required: string[] } };
      };
      expect([required, properties.error.required]).toEqual([
        ['success', 'error'],
        ['code', 'message'],
      ]);
    }
    const body = Buffer.from('{"success":false,"error":{"code":"NOT_FOUND","message":"…"}}');
    expect(isFailureEnvelope(body, 404)).toBe(true);
  });
});
