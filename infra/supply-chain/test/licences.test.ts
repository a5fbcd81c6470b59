import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judgeLicences } from '../src/licences.ts';

const one = (name: string) => [{ name, versions: ['1.0.0'] }];

describe('the licences of production dependencies', () => {
  it('pass when each is on the list, or the package is excepted by name', () => {
    const list = { MIT: [...one('a'), ...one('b')], 'MPL-2.0': one('lightningcss-linux-x64-gnu') };
    expect(judgeLicences(list)).toEqual({ refused: [], packages: 3 });
  });

  it.each([
    ['GPL-3.0-only', 'copyleft'],
    ['Unknown', 'unstated'],
    ['MPL-2.0', 'not-lightningcss'],
    ['MIT AND GPL-2.0-only', 'both'],
  ])('do not pass with %s', (licence, name) => {
    const { refused } = judgeLicences({ MIT: one('a'), [licence]: one(name) });
    expect(refused).toEqual([`${name} 1.0.0: the licence ${licence} is not allowed`]);
  });

  it('fail the check when there is no list of them', () => {
    const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
    for (const [input, said] of [
      ['', "can't be read"],
      ['No licenses in packages found', "can't be read"],
      ['{}', 'no dependency is listed'],
    ] as const) {
      const { status, stderr } = spawnSync(process.execPath, [main], { input, encoding: 'utf8' });
      expect([input, status]).toEqual([input, 1]);
      expect(stderr).toContain(said);
    }
  });
});
