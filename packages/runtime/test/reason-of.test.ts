import { expect, it } from 'vitest';
import { reasonOf } from '../src/index.ts';

it('the reason of a failure is the message of its error', () => {
  const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  expect(reasonOf(error)).toBe('connect ECONNREFUSED 127.0.0.1:1');
});

it('the reason of a connection that several addresses refused is the code, because the message is empty', () => {
  const each = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:1`));
  expect(reasonOf(Object.assign(new AggregateError(each), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED');
});

it('the reason of a failure without a message and without a code is the name of its error', () => {
  expect(reasonOf(new TypeError())).toBe('TypeError');
});
