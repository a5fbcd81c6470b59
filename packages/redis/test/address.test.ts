import { describe, expect, it } from 'vitest';
import { parseRedisAddress, RedisAddressError } from '../src/index.ts';

describe('an address of Redis', () => {
  it('an address names one server, with user, password, port and database where they are given', () => {
    expect(parseRedisAddress('redis://cache')).toEqual({
      kind: 'single',
      tls: false,
      host: { host: 'cache', port: 6379 },
      db: 0,
    });
    expect(parseRedisAddress('rediss://app:p%40ss@[::1]:6380/3')).toEqual({
      kind: 'single',
      tls: true,
      user: 'app',
      password: 'p@ss',
      host: { host: '::1', port: 6380 },
      db: 3,
    });
  });

  it('an address names a cluster by some of its nodes', () => {
    expect(parseRedisAddress('redis-cluster://:secret@a.test:7001,10.0.0.2,[fd00::3]:7003')).toEqual({
      kind: 'cluster',
      tls: false,
      password: 'secret',
      hosts: [
        { host: 'a.test', port: 7001 },
        { host: '10.0.0.2', port: 6379 },
        { host: 'fd00::3', port: 7003 },
      ],
    });
    expect(parseRedisAddress('rediss-cluster://a')).toMatchObject({ kind: 'cluster', tls: true });
  });

  it('an address names Sentinels and the master they watch', () => {
    expect(parseRedisAddress('rediss-sentinel://app:secret@s1,s2:5000/main-1')).toEqual({
      kind: 'sentinel',
      tls: true,
      user: 'app',
      password: 'secret',
      sentinels: [
        { host: 's1', port: 26_379 },
        { host: 's2', port: 5000 },
      ],
      master: 'main-1',
    });
  });

  it.each([
    ['http://cache', 'must be redis://'],
    ['cache:6379', 'must be redis://'],
    ['redis://', 'its host must be a name or address'],
    ['redis://cache:0', 'its host has a port that is not from 1 to 65535'],
    ['redis://cache:70000', 'its host has a port that is not from 1 to 65535'],
    ['redis://cache/first', "a database's number must follow"],
    ['redis://a,b', 'redis-cluster:// or redis-sentinel://'],
    ['redis://hunter2@cache', 'a password alone is written :password@'],
    ['redis://app:@cache', 'names a user without a password'],
    ['redis://:hunter2%zz@cache', 'not followed by two hexadecimal digits'],
    ['redis://:hunt/er2@cache', 'percent-encoded'],
    ['redis://:hunter2#1@cache', 'takes nothing after "?" or "#"'],
    ['redis://cache?family=6', 'takes nothing after "?" or "#"'],
    ['redis-cluster://a,,b', 'host 2 of 3 must be a name or address'],
    ['redis-cluster://a:1,b:port', 'host 2 of 2 must be a name or address'],
    ['redis-cluster://a,b/1', 'a cluster has only one'],
    ['redis-sentinel://a,b', 'must end with "/" and the name'],
    ['redis-sentinel://a,b/', 'must end with "/" and the name'],
  ])('the address %s is refused with what is wrong, and without its password', (text, problem) => {
    const parse = () => parseRedisAddress(text);
    expect(parse).toThrow(RedisAddressError);
    expect(parse).toThrow(problem);
    expect(parse).not.toThrow(/hunter2|hunt|er2/);
  });
});
