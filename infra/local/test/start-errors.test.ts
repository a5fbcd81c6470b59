import { expect, it } from 'vitest';
import { explainedDownload } from '../src/debian/engine-root.ts';
import { explain } from '../src/system/run.ts';

it('a start on a read-only disk says that in words, and what to do', () => {
  const message = "EROFS: read-only file system, open '/clone/.local/system.lock'";
  const error = Object.assign(new Error(message), { code: 'EROFS', path: '/clone/.local/system.lock' });
  expect(explain(error)).toBe(
    'the disk with /clone/.local/system.lock is read-only. Clone Sigcast into a folder that can be written, and start it there',
  );
});

it('a first start without a network says what it would have downloaded', () => {
  const said = new Error("Failed building the engines:\n    Temporary failure resolving 'deb.example'");
  expect(explainedDownload(said)).toMatchObject({
    message: expect.stringMatching(/^Debian's archive can't be reached\. .*\(120 MB\)/),
    cause: said,
  });
  const other = new Error('the disk is full');
  expect(explainedDownload(other)).toBe(other);
});
