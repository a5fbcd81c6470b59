import { expect, it } from 'vitest';
import { keptHeaders, keptText } from '../src/sending/kept-answer.ts';

it('the headers of an answer are kept as they came, a repeated one each time', () => {
  expect(keptHeaders(['Content-Type', 'text/plain', 'x-a', '1', 'X-A', '2'])).toEqual([
    { name: 'Content-Type', value: 'text/plain' },
    { name: 'x-a', value: '1' },
    { name: 'X-A', value: '2' },
  ]);
});

it('the headers of an answer are kept without the value of a cookie', () => {
  expect(keptHeaders(['Set-Cookie', 'session=s3cret; HttpOnly'])).toEqual([
    { name: 'Set-Cookie', value: '(not kept)' },
  ]);
});

it('the headers of an answer are 32 at most, 1,000 characters each, 4 kB as JSON in all', () => {
  const many = keptHeaders(Array.from({ length: 100 }, (_, at) => [`x-${at}`, 'v']).flat());
  expect(many).toHaveLength(32);
  const [long] = keptHeaders(['x', 'a'.repeat(16_000)]);
  expect(long?.value).toBe(`${'a'.repeat(1_000)}…`);
  const large = keptHeaders(Array.from({ length: 30 }, () => ['x', 'a'.repeat(990)]).flat());
  expect(large).toHaveLength(4);
});

it('what is kept of an answer takes at most 7 kB as JSON, whatever bytes the receiver chose', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    const text = keptText(Buffer.alloc(1_000, byte));
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(3_002);
    const raw = Array.from({ length: 32 }, () => ['x', String.fromCharCode(byte).repeat(990)]).flat();
    expect(Buffer.byteLength(JSON.stringify(keptHeaders(raw).map(({ value }) => value)))).toBeLessThan(4_100);
  }
  expect(keptText(Buffer.from('{"a":\t"é"}\r\n'))).toBe('{"a":\t"é"}\r\n');
});
