import { existsSync } from 'node:fs';
import { CHROMIUM, ensurePackages } from './debian/packages.ts';
import { thisMachine } from './machine.ts';

/** Where browsers of Chromium's kin are on machines that have one. */
const places = [CHROMIUM.file, '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * A browser for tests: the machine's own, else Debian's package, which is then installed.
 * @returns its executable file.
 * @throws that says what to do when there is none and none can be installed.
 */
export async function ensureBrowser(options: {
  readonly logFile: string;
  readonly report: (line: string) => void;
}): Promise<string> {
  const found = places.find((file) => existsSync(file));
  if (found !== undefined) return found;
  if (!thisMachine().isDebianRoot()) {
    throw new Error(`no browser in ${places.join(', ')}: install Chromium, or run as root on Debian`);
  }
  await ensurePackages({ packages: [CHROMIUM], ...options });
  return CHROMIUM.file;
}
