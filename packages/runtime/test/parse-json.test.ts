import { expect, it } from 'vitest';
import { parseJson } from '../src/index.ts';

it.each([
  ['{"a":[1,null]}', { a: [1, null] }],
  ['"text"', 'text'],
  ['null', null],
])('a text in JSON is read as its value: %s', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

it.each(['', '<html>', '{"a":'])('a text that is not JSON is read as undefined: %j', (text) => {
  expect(parseJson(text)).toBeUndefined();
});
