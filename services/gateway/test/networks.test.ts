import { describe, expect, it } from 'vitest';
import { countedAddress, plainAddress } from '../src/domain/client-address.ts';
import { networksFrom, normalNetwork } from '../src/domain/networks.ts';

describe('a network of a key', () => {
  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    [' 203.0.113.7 ', '203.0.113.7/32'],
    ['2001:DB8:0:0::1/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:a01:203', '10.1.2.3/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('%s is stored as %s', (text, stored) => {
    expect(normalNetwork(text)).toBe(stored);
  });

  it.each(['', 'all', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/-1', '10.0.0.0/8/8', '10.1/8'])(
    '%j is none',
    (text) => expect(normalNetwork(text)).toBeUndefined(),
  );

  it.each(['010.0.0.1', '0x0a.0.0.1', '167772161', 'fe80::1%eth0/64', '2001:db8::/129'])(
    '%j is none, because it could be read in more than one way or names no network',
    (text) => expect(normalNetwork(text)).toBeUndefined(),
  );

  it.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:a01:203', true],
    ['10.0.0.0/8', '[::ffff:10.1.2.3]:443', true],
    ['10.0.0.0/8', '10.1.2.3:51234', true],
    ['10.0.0.0/8', '010.1.2.3', false],
    ['10.0.0.0/8', '::10.1.2.3', false],
    ['10.0.0.0/8', '64:ff9b::10.1.2.3', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.7', false],
    ['2001:db8::/32', '2001:DB8:0:0:0:0:0:1', true],
    ['2001:db8::/32', '2001:db8::1%eth0', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['0.0.0.0/0', 'unknown', false],
    ['0.0.0.0/0', '10.1.2.3, 10.1.2.4', false],
  ])('%s has %s: %j', (network, remote, isIn) => {
    expect(networksFrom([network]).includes(plainAddress(remote) ?? '')).toBe(isIn);
  });
});

describe('a client address', () => {
  it.each([
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::FFFF:c633:6401', '198.51.100.1'],
    ['0:0:0:0:0:ffff:c633:6401', '198.51.100.1'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, undefined],
  ])('%s is shown as %s', (remote, shown) => {
    expect(plainAddress(remote)).toBe(shown);
  });

  it('is counted alike in every way to write it', () => {
    for (const mapped of ['::ffff:198.51.100.1', '::ffff:c633:6401', '0:0:0:0:0:ffff:c633:6401']) {
      expect(countedAddress(mapped)).toBe('198.51.100.1');
    }
    expect(countedAddress('2001:0DB8:0001:0::1')).toBe(countedAddress('2001:db8:1::2'));
  });
});
