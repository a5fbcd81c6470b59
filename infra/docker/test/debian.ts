import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir, ensurePackages, mmdebstrapPackage } from '@sigcast/local';

const run = promisify(execFile);

/**
 * A file in the cache directory, which the first call on this machine makes. It is made aside and renamed, so that an
 * interrupted call leaves no file.
 * @returns its path.
 */
export async function cached(
  name: string,
  make: (file: string) => Promise<void>,
  report: (line: string) => void,
): Promise<string> {
  const file = join(cacheDir(), name);
  if (existsSync(file)) return file;
  mkdirSync(cacheDir(), { recursive: true });
  report(`making ${file} (once on this machine)`);
  const aside = `${file}.${process.pid}`;
  try {
    await make(aside);
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
  return file;
}

/** A minimal Debian with HAProxy in it, as a tar file. */
export async function minimalDebian(file: string): Promise<void> {
  await ensurePackages({ packages: [mmdebstrapPackage], logFile: `${file}.log`, report: () => undefined });
  const include = '--include=ca-certificates,haproxy';
  await run('mmdebstrap', ['--quiet', '--variant=minbase', include, '--format=tar', 'bookworm', file]);
  rmSync(`${file}.log`, { force: true });
}

/** The compose plugin, one static program, of Debian's next release: Debian 12 has none. */
export async function composePlugin(file: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'sigcast-compose-'));
  try {
    // The mirror that apt uses on this machine.
    const query = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
    const { stdout } = await run('apt-get', query);
    const mirror = stdout.split('\n').find((uri) => uri.endsWith('/debian/'));
    if (mirror === undefined) throw new Error("apt knows no mirror of Debian's: run apt-get update");
    mkdirSync(join(dir, 'lists', 'partial'), { recursive: true });
    writeFileSync(join(dir, 'sources.list'), `deb ${mirror} trixie main\n`);
    const options = {
      'Dir::Etc::sourcelist': join(dir, 'sources.list'),
      'Dir::Etc::sourceparts': '-',
      'Dir::State::lists': join(dir, 'lists'),
      'Dir::Cache': join(dir, 'cache'),
      'APT::Sandbox::User': 'root',
    };
    const apt = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    await run('apt-get', [...apt, '-q', 'update'], { cwd: dir });
    await run('apt-get', [...apt, '-q', 'download', 'docker-compose'], { cwd: dir });
    const archive = readdirSync(dir).find((name) => name.endsWith('.deb')) ?? '';
    await run('dpkg', ['-x', archive, 'tree'], { cwd: dir });
    await run('cp', [join(dir, 'tree/usr/libexec/docker/cli-plugins/docker-compose'), file]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
