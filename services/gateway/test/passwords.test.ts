import { describe, expect, it } from '@jest/globals';
import { hashPassword, passwordMatches } from '../src/domain/password.ts';
import { PasswordService } from '../src/domain/password-service.ts';

describe('passwords', () => {
  it('match their own hash and no other', async () => {
    const hash = await hashPassword('correct horse battery');
    expect(hash).not.toContain('horse');
    expect(await passwordMatches('correct horse battery', hash)).toBe(true);
    expect(await passwordMatches('correct horse batterz', hash)).toBe(false);
    expect(await passwordMatches('x', 'not a hash')).toBe(false);
  });
});

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
    expect(await passwords.matches('p', undefined)).toBe(false);
    expect(compared).toBe(1);
    expect(await passwords.matches('p', 'stored')).toBe(true);
    expect(compared).toBe(2);
  });

  it('hashes two passwords at a time, lets 20 requests wait, and refuses the others', async () => {
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    const passwords = new PasswordService({
      hash: async () => {
        running += 1;
        most = Math.max(most, running);
        await gate.promise;
        running -= 1;
        return 'h';
      },
      matches: () => Promise.resolve(true),
    });
    const all = Array.from({ length: 30 }, () =>
      passwords.hash('p').then(
        () => 'done',
        (error: Error) => error.message,
      ),
    );
    gate.resolve();
    const ends = await Promise.all(all);
    expect(most).toBe(2);
    expect(ends.filter((end) => end === 'done')).toHaveLength(22);
    expect(ends.filter((end) => /temporarily unavailable/.test(end))).toHaveLength(8);
  });
});
