import { expect, it } from 'vitest';
import { explain } from '../src/system/run.ts';

it('a start on a read-only disk says that in words, and what to do', () => {
  const message = "EROFS: read-only file system, open '/clone/.local/system.lock'";
  const error = Object.assign(new Error(message), { code: 'EROFS', path: '/clone/.local/system.lock' });
  expect(explain(error)).toBe(
    'the disk with /clone/.local/system.lock is read-only. Clone Sigcast into a folder that can be written, and start it there',
  );
});
