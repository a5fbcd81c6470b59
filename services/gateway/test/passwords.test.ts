import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { hashPassword, passwordMatches } from '../src/domain/password.ts';
import { type PasswordCaller, PasswordService } from '../src/domain/password-service.ts';

describe('passwords', () => {
  it('match their own hash and no other', async () => {
    const hash = await hashPassword('correct horse battery');
    expect(hash).not.toContain('horse');
    expect(await passwordMatches('correct horse battery', hash)).toBe(true);
    expect(await passwordMatches('correct horse batterz', hash)).toBe(false);
    expect(await passwordMatches('x', 'not a hash')).toBe(false);
  });
});

const network = (name: string) => ({ kind: 'stranger', name }) as const;
const account = (name: string) => ({ kind: 'known', name }) as const;

/** A password service whose hashes end one by one, when the test says so. */
function gatedService() {
  const running: { readonly password: string; readonly end: () => void }[] = [];
  const passwords = new PasswordService({
    hash: (password) =>
      new Promise((resolve) => {
        running.push({ password, end: () => resolve('h') });
      }),
    matches: () => Promise.resolve(true),
  });
  const ended: string[] = [];
  const refused: string[] = [];
  const ask = (password: string, caller: PasswordCaller) =>
    passwords.hash(password, caller).then(
      () => ended.push(password),
      () => refused.push(password),
    );
  /** Ends all hashes, in the order in which they began. */
  const endAll = async () => {
    await setImmediate();
    for (let next = running.shift(); next !== undefined; next = running.shift()) {
      next.end();
      await setImmediate();
    }
  };
  return { passwords, ask, endAll, ended, refused, running };
}

describe('the password service', () => {
  it('compares a password also for an unknown e-mail address, so that the time it takes tells nothing', async () => {
    let compared = 0;
    const passwords = new PasswordService({
      hash: () => Promise.resolve('h'),
      matches: () => {
        compared += 1;
        return Promise.resolve(true);
      },
    });
    expect(await passwords.matches('p', async () => undefined, network('n'))).toBe(false);
    expect(compared).toBe(1);
    expect(await passwords.matches('p', async () => 'stored', network('n'))).toBe(true);
    expect(compared).toBe(2);
  });

  it('hashes one password of strangers at a time, and two of known accounts', async () => {
    const { ask, endAll, running } = gatedService();
    for (let n = 0; n < 3; n += 1) void ask(`stranger ${n}`, network(`n${n}`));
    await setImmediate();
    expect(running.map(({ password }) => password)).toEqual(['stranger 0']);
    void ask('known', account('a'));
    await setImmediate();
    expect(running.map(({ password }) => password)).toEqual(['stranger 0', 'known']);
    await endAll();
  });

  it('serves networks in turn, so that a flood from one refuses only its own and delays another network by one hash', async () => {
    const { passwords, ask, endAll, ended, refused } = gatedService();
    for (let n = 0; n < 200; n += 1) void ask(`flood ${n}`, network('flood'));
    expect(() => passwords.requirePlace(network('flood'))).toThrow('temporarily unavailable');
    expect(() => passwords.requirePlace(network('another'))).not.toThrow();
    void ask('another', network('another'));
    await endAll();
    expect(ended.indexOf('another')).toBeLessThanOrEqual(2);
    expect(refused).toHaveLength(194);
    expect(refused).not.toContain('another');
  });

  it('keeps a place for another network when a hundred requests of few networks wait, and for a known account always', async () => {
    const { ask, endAll, ended, refused } = gatedService();
    for (let n = 0; n < 200; n += 1) void ask(`flood ${n}`, network(`flood ${n % 20}`));
    void ask('another', network('another'));
    void ask('known', account('a'));
    await endAll();
    expect(refused).not.toContain('another');
    expect(ended.indexOf('another')).toBeLessThanOrEqual(22);
    expect(ended.indexOf('known')).toBeLessThanOrEqual(1);
  });

  it('gives strangers their turn, however many passwords of known accounts wait', async () => {
    const { ask, endAll, ended } = gatedService();
    for (let n = 0; n < 40; n += 1) void ask(`known ${n}`, account(`a${n % 10}`));
    void ask('stranger', network('n'));
    await endAll();
    expect(ended.indexOf('stranger')).toBeLessThanOrEqual(4);
  });
});
