import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '@sigcast/contracts';
import { expectationsOf } from '@sigcast/testing';
import { findApiRoute } from '../src/domain/api-routes.ts';
import { checkAnswer, isFailureEnvelope } from '../src/proxy/answer-check.ts';

const { paths } = openApiDocument('') as { paths: Record<string, object> };
const providers = ['signals', 'stats', 'webhooks', 'tracker'] as const;
const expectations = providers.flatMap((provider) =>
  expectationsOf(provider)
    .filter(({ consumer }) => consumer === 'gateway')
    .map((expectation) => ({ ...expectation, provider })),
);

/** Method and path of a target, with whatever stands for an id in one way. */
const shape = (asks: string) => asks.replace(/\?.*/, '').replace(/\{\w+\}|\b(sig|wh)_0+\b/g, '{}');

describe('what the gateway records of its services', () => {
  it('is a request for each operation of the API that it passes on, HEAD beside each GET', () => {
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

  it('is asked of the service that the request is passed on to, by a method that is', () => {
    for (const { asks, provider } of expectations.filter((one) => one.asks.includes(' /v1/'))) {
      const [method = '', target = ''] = asks.split(' ');
      const route = findApiRoute(...(target.split('?') as [string, string?]));
      expect([asks, route?.upstream.replace('streams', 'webhooks')]).toEqual([asks, provider]);
      expect([asks, route?.methods.includes(method)]).toEqual([asks, true]);
    }
  });

  it.each(expectations.filter(({ headers }) => headers?.['content-type'] !== undefined))(
    'is an answer to $asks with $gets that it passes on, unless a service does not believe it',
    ({ asks, gets, headers }) => {
      const [method = ''] = asks.split(' ');
      const type = headers?.['content-type']?.replace(/\^|\\b/g, '');
      const judged = checkAnswer(method, gets, { 'content-type': type });
      expect(judged).toBe(gets === 401 ? 'broken' : 'pass');
    },
  );

  it('is what it needs to tell a failure of a service from an accident', () => {
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
