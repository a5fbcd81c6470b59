import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheDir, ensurePython } from '@sigcast/local';

const run = promisify(execFile);
const sources = fileURLToPath(new URL('../../../clients/python', import.meta.url));
const readme = readFileSync(join(sources, 'README.md'), 'utf8');

/** The README's Python programs, by the names in their first lines. */
export const readmePrograms: Readonly<Record<string, string>> = Object.fromEntries(
  [...readme.matchAll(/^```python\n(# (\S+)\n[\s\S]*?)^```$/gm)].map(([, text = '', name = '']) => [
    name,
    text,
  ]),
);

/** How many Python blocks the README has, with or without a name. */
export const readmeBlocks = [...readme.matchAll(/^```python$/gm)].length;

/** A new project in a folder of its own, where the client is installed from its wheel as the README says. */
export class PythonProject implements Disposable {
  readonly dir: string;
  /** The project's own interpreter. */
  readonly python: string;
  /** The interpreter that made the project's own, and that has mypy. */
  readonly outerPython: string;

  private constructor(dir: string, outerPython: string) {
    this.dir = dir;
    this.outerPython = outerPython;
    this.python = join(dir, '.venv', 'bin', 'python');
  }

  /** Builds the wheel, makes the environment and installs the wheel in it: some seconds, without the network. */
  static async make(): Promise<PythonProject> {
    const dir = mkdtempSync(join(tmpdir(), 'sigcast-python-project-'));
    const logFile = join(dir, 'packages.log');
    const python = await ensurePython({ logFile, report: (line) => process.stderr.write(`${line}\n`) });
    const project = new PythonProject(dir, python);
    // Building writes files beside the sources, so it works on a copy.
    const isSource = (file: string) => !['node_modules', '__pycache__'].includes(basename(file));
    cpSync(sources, join(dir, 'clients', 'python'), { recursive: true, filter: isSource });
    const [, lines = ''] = /^## Install\n[\s\S]*?^```sh\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    // `python3` is the interpreter with the modules, whichever comes first on this machine.
    const env = { ...process.env, PATH: `${dirname(python)}:${process.env.PATH}`, PIP_NO_INPUT: '1' };
    await run('bash', ['--norc', '-euc', lines], { cwd: dir, env }).catch(
      (failed: { stdout: string; stderr: string }) => {
        throw new Error(failed.stdout + failed.stderr);
      },
    );
    for (const [name, text] of Object.entries(readmePrograms)) project.write(name, text);
    return project;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.dir, name), text);
  }

  /** Runs a program of the project to its end. @returns what it printed. */
  async run(name: string, env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
    const { stdout } = await run(this.python, [name, ...args], {
      cwd: this.dir,
      env: { ...process.env, ...env },
      timeout: 60_000,
    });
    return stdout;
  }

  /** Checks programs of the project with mypy. @returns its output, which begins with `Success` when nothing is wrong. */
  async check(...names: string[]): Promise<string> {
    const python = ['--python-executable', this.python, '--cache-dir', join(cacheDir(), 'mypy')];
    const args = ['-m', 'mypy', '--strict', ...python, ...names];
    return run(this.outerPython, args, { cwd: this.dir }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
