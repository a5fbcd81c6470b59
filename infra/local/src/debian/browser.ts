import { existsSync } from 'node:fs';
import { thisMachine } from '../machine.ts';
import { ensurePackages, type InstallOptions, type Package } from './packages.ts';

/** Chromium without a user interface: tests take a quarter less of the processor's time with it. */
const headless: Package = { name: 'chromium-headless-shell', file: '/usr/bin/chromium-headless-shell' };
const browsers = [headless.file, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * A browser for tests: the machine's own, or Debian's package, which is then installed.
 * @returns the executable file.
 * @throws when there is no browser and this is not root on Debian.
 */
export async function ensureBrowser(options: InstallOptions): Promise<string> {
  const found = browsers.find((file) => existsSync(file));
  if (found !== undefined) return found;
  if (!thisMachine().isDebianRoot()) {
    throw new Error(`none of ${browsers.join(', ')}: install ${headless.name}, or run as root on Debian`);
  }
  await ensurePackages({ packages: [headless], ...options });
  return headless.file;
}
