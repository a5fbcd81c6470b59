import { spawnSync } from 'node:child_process';
import { thisMachine } from '../machine.ts';
import { ensurePackages, type InstallOptions, type Package } from './packages.ts';

/** The modules that the Python client and its tests need, each with the Debian package that has it. */
const packageOf: Readonly<Record<string, string>> = {
  httpx: 'python3-httpx',
  cryptography: 'python3-cryptography',
  ensurepip: 'python3-venv',
  pip: 'python3-pip',
  setuptools: 'python3-setuptools',
  wheel: 'python3-wheel',
  mypy: 'mypy',
};
const modules = Object.keys(packageOf);

/** Debian's own goes first: another `python3` may stand before it in the PATH and lack the modules. */
const debianPython = '/usr/bin/python3';
const interpreters = [debianPython, '/usr/local/bin/python3', 'python3'];

/** Prints what is missing, one line each. */
const probe = `import importlib.util, sys
if sys.version_info < (3, 11): print("Python 3.11")
for name in sys.argv[1:]:
    if importlib.util.find_spec(name) is None: print(name)
`;

/**
 * A Python with the modules that the Python client and its tests need: one of the machine's, or Debian's, whose packages
 * are then installed.
 * @returns the executable file, or `python3` for the one in the PATH.
 * @throws where nothing can be installed: the message says what each interpreter lacks.
 */
export async function ensurePython(options: InstallOptions): Promise<string> {
  const missing = interpreters.map((python) => ({ python, lacks: missingIn(python) }));
  const ready = missing.find(({ lacks }) => lacks.length === 0);
  if (ready !== undefined) return ready.python;
  if (!thisMachine().isDebianRoot()) {
    const lacking = missing.map(({ python, lacks }) => `${python} lacks ${lacks.join(', ')}`);
    const names = Object.values(packageOf).join(' ');
    throw new Error(`${lacking.join('; ')}: install them (Debian: ${names}), or run as root on Debian`);
  }
  await ensurePackages({ packages: ['python3', ...Object.values(packageOf)].map(debianPackage), ...options });
  const lacks = missingIn(debianPython);
  if (lacks.length > 0) throw new Error(`${debianPython} still lacks ${lacks.join(', ')}`);
  return debianPython;
}

/** Known by the package manager's list of its files: some of these packages have no file of the same name in every release. */
function debianPackage(name: string): Package {
  return { name, file: `/var/lib/dpkg/info/${name}.list` };
}

function missingIn(python: string): readonly string[] {
  const { status, stdout } = spawnSync(python, ['-c', probe, ...modules], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : ['everything'];
}
