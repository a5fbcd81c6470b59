import { expect, it } from 'vitest';
import { newSealKey, sealer, sealKeys } from '../src/seal.ts';

const [first, second] = [newSealKey(1), newSealKey(2)];

it('a sealed secret is opened for its own record by every key in the file, and the newest key seals', () => {
  const before = sealer(sealKeys.parse(first));
  const sealed = before.seal('whsec_1', 'wh_1');
  const after = sealer(sealKeys.parse(`${first}\n${second}\n`));
  expect(after.open(sealed, 'wh_1')).toBe('whsec_1');
  expect(after.seal('whsec_1', 'wh_1').startsWith(after.newestPrefix)).toBe(true);
  expect(after.newestPrefix).not.toBe(before.newestPrefix);
  expect(before.seal('whsec_1', 'wh_1')).not.toBe(sealed);
});

it('a sealed secret is opened by no other key, for no other record, and not when it was changed', () => {
  const { seal, open } = sealer(sealKeys.parse(first));
  const sealed = seal('whsec_1', 'wh_1');
  expect(() => open(sealed, 'wh_2')).toThrow('belongs to another record');
  const changed = sealed.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
  expect(() => open(changed, 'wh_1')).toThrow('was changed');
  expect(() => sealer(sealKeys.parse(newSealKey(1))).open(sealed, 'wh_1')).toThrow('was changed');
  expect(() => sealer(sealKeys.parse(second)).open(sealed, 'wh_1')).toThrow('no key opens');
  expect(() => open('whsec_1', 'wh_1')).toThrow('no key opens');
});

it.each(['', '1:AAAA', `0${first}`, 'x', `${first} ${first}`])('keys like "%s" are refused', (text) => {
  expect(sealKeys.safeParse(text).success).toBe(false);
});
