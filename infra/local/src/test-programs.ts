import { existsSync } from 'node:fs';
import { debianKubectl } from './debian/kubectl.ts';
import { chromiumPackage, ensurePackages, type Package } from './debian/packages.ts';
import { debianPromtool } from './debian/promtool.ts';
import { debianPythonWithModules } from './debian/python.ts';
import { thisMachine } from './machine.ts';

type Options = { readonly logFile: string; readonly report: (line: string) => void };

/**
 * A browser for tests: the machine's own, else Debian's package, which is then installed.
 * @returns its executable file.
 * @throws that says what to do when there is none and none can be installed.
 */
export function ensureBrowser(options: Options): Promise<string> {
  return ensureProgram(chromiumPackage, ['/usr/bin/chromium-browser', '/usr/bin/google-chrome'], options);
}

/** Python with httpx, mypy and the tools that build and install wheels; found or installed like the browser. */
export function ensurePython(options: Options): Promise<string> {
  return debianPythonWithModules(options);
}

/** Prometheus' `promtool` for tests of alert rules; the machine's own, else the one file of Debian's package. */
export function ensurePromtool(options: Options): Promise<string> {
  return debianPromtool(options);
}

/** `kubectl` for tests of manifests; the machine's own, else Debian's. Tests use only its kustomize, which needs no cluster. */
export function ensureKubectl(options: Options): Promise<string> {
  return debianKubectl(options);
}

async function ensureProgram(wanted: Package, others: readonly string[], options: Options): Promise<string> {
  const places = [wanted.file, ...others];
  const found = places.find((file) => existsSync(file));
  if (found !== undefined) return found;
  if (!thisMachine().isDebianRoot()) {
    throw new Error(`none of ${places.join(', ')}: install ${wanted.name}, or run as root on Debian`);
  }
  await ensurePackages({ packages: [wanted], ...options });
  return wanted.file;
}
