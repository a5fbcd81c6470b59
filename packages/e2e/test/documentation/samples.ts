import { type ChildProcessWithoutNullStreams, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientSamples, openGuides, type PageName } from '@sigcast/guides';
import { packClient } from '@sigcast/local';

const execute = promisify(execFile);

type CodeBlock = { readonly language: string; readonly text: string };

/** The blocks of code of a page, in order. `{server}` in them is `gatewayUrl`. */
export function codeBlocks(page: PageName, gatewayUrl = ''): CodeBlock[] {
  const file = openGuides(gatewayUrl).texts.find(({ path }) => path === `/docs/${page}.md`);
  const blocks = file?.content().matchAll(/^```(\w*)\n(.*?)^```$/gms) ?? [];
  return [...blocks].map(([, language = '', text = '']) => ({ language, text }));
}

/** A program of a page, by the name in its first line. */
export function program(page: PageName, name: string): string {
  const found = codeBlocks(page).find(({ text }) => fileName(text) === name);
  if (found === undefined) throw new Error(`${page} has no ${name}`);
  return found.text;
}

/** The name in the first line of a program: `// name.mjs`, `# name.py` or `<?php // name.php`. */
export function fileName(text: string): string | undefined {
  return /^(?:<\?php )?(?:\/\/|#) ([\w-]+\.\w+)/.exec(text)?.[1];
}

/** A folder for the programs of pages, where the client is installed as its README says. */
export class Workbench implements Disposable {
  readonly dir: string;

  private constructor(dir: string) {
    this.dir = dir;
  }

  static async open(): Promise<Workbench> {
    const dir = mkdtempSync(join(tmpdir(), 'sigcast-samples-'));
    writeFileSync(join(dir, 'package.json'), '{"private":true}');
    const packed = await packClient(mkdtempSync(join(dir, 'packed-')));
    await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', packed], { cwd: dir });
    return new Workbench(dir);
  }

  /** Writes a page's programs to files with the names in their first lines. */
  write(page: PageName): void {
    for (const { text } of codeBlocks(page)) {
      const name = fileName(text);
      if (name !== undefined) writeFileSync(join(this.dir, name), text);
    }
  }

  /**
   * Runs a page's terminal samples from top to bottom, in one shell that ends at the first failure, each also as pages show it in the
   * clients' languages. A stream is followed for three seconds. @param typed standard input. @returns what was printed.
   */
  async run(page: PageName, env: Readonly<Record<string, string>>, typed = ''): Promise<string> {
    this.write(page);
    const lines = codeBlocks(page, env.SIGCAST_URL).filter(({ language }) => language === 'sh');
    // Without --norc, bash takes its input, a socket, for a remote login, and reads settings that change PATH.
    const shell = spawn(
      'bash',
      ['--norc', '-c', prelude + lines.map(({ text }) => text + asPrograms(text)).join('\necho\n')],
      {
        cwd: this.dir,
        env: environment(env),
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    shell.stdin.end(typed);
    const said = outputOf(shell);
    const [code] = (await once(shell, 'close')) as [number | null];
    if (code !== 0) throw new Error(`the samples of ${page} ended with ${code}: ${said()}`);
    return said();
  }

  /** Runs a file of the folder by a program, Node or Python, until `stop` is called. */
  start(
    name: string,
    program: string,
    env: Readonly<Record<string, string>>,
  ): { said(): string; stop(): Promise<void> } {
    const child = spawn(program, [name], { cwd: this.dir, env: environment(env), stdio: 'pipe' });
    const said = outputOf(child);
    const stop = async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    };
    return { said, stop };
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** A command as programs of the clients, which the shell runs after it. */
function asPrograms(command: string): string {
  const isStream = command.includes('/v1/stream');
  const programs = clientSamples(command).map(({ language, text }) => {
    const program = language === 'python' ? 'python3 -' : 'node --input-type=module';
    return `${isStream ? `stream ${program}` : program} <<'PROGRAM'\n${text}PROGRAM\n`;
  });
  return programs.join('');
}

/** Makes a refused request fail the shell, but not a stream that ends after its three seconds. */
const prelude = `set -eu
curl() {
  case "$*" in
    */v1/stream*) command curl --silent --show-error --fail --max-time 3 "$@" || [ $? -eq 28 ] ;;
    *) command curl --silent --show-error --fail-with-body --max-time 20 "$@" ;;
  esac
}
stream() { timeout 3 "$@" || [ $? -eq 124 ]; }
`;

/** Collects what a process prints. */
function outputOf(child: ChildProcessWithoutNullStreams): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  return () => said;
}

function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    // The client's sources, as they are in the workspace.
    PYTHONPATH: join(import.meta.dirname, '../../../../clients/python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
    ...env,
  };
}

/** Whether a program can be run here. */
export function isAtHand(name: string, ...args: string[]): boolean {
  return spawnSync(name, args, { stdio: 'ignore' }).status === 0;
}
