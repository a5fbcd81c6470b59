import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openGuides, type PageName } from '@sigcast/guides';

type CodeBlock = { readonly language: string; readonly text: string };

/** The blocks of code of a page, in order. `{server}` in them is `gatewayUrl`. */
export function codeBlocks(page: PageName, gatewayUrl = ''): CodeBlock[] {
  const file = openGuides(gatewayUrl).texts.find(({ path }) => path === `/docs/${page}.md`);
  const blocks = file?.content().matchAll(/^```(\w+)\n(.*?)^```$/gms) ?? [];
  return [...blocks].map(([, language = '', text = '']) => ({ language, text }));
}

/** A program of a page by the name that its first line says. */
export function program(page: PageName, name: string): string {
  const found = codeBlocks(page).find(({ text }) => fileName(text) === name);
  if (found === undefined) throw new Error(`${page} has no ${name}`);
  return found.text;
}

/** `// name.mjs`, `# name.py` or `<?php // name.php` in the first line. */
function fileName(text: string): string | undefined {
  return /^(?:<\?php )?(?:\/\/|#) ([\w-]+\.\w+)/.exec(text)?.[1];
}

/** A folder with a page's programs in it, where the client is installed. */
export class Workbench implements Disposable {
  readonly dir = mkdtempSync(join(tmpdir(), 'sigcast-samples-'));

  constructor() {
    mkdirSync(join(this.dir, 'node_modules/@sigcast'), { recursive: true });
    const client = join(import.meta.dirname, '../../../client');
    symlinkSync(client, join(this.dir, 'node_modules/@sigcast/client'));
  }

  /** Puts a page's programs into the folder under the names that they say. */
  write(page: PageName): void {
    for (const { text } of codeBlocks(page)) {
      const name = fileName(text);
      if (name !== undefined) writeFileSync(join(this.dir, name), text);
    }
  }

  /**
   * Runs what a page says for a terminal, from top to bottom in one shell that ends at the first failure; a stream is
   * followed for some seconds. @returns what was printed.
   */
  async run(page: PageName, env: Readonly<Record<string, string>>, typed = ''): Promise<string> {
    this.write(page);
    const lines = codeBlocks(page, env.SIGCAST_URL).filter(({ language }) => language === 'sh');
    const shell = spawn('bash', ['-c', prelude + lines.map(({ text }) => text).join('\necho\n')], {
      cwd: this.dir,
      env: environment(env),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    shell.stdin.end(typed);
    const said = heard(shell);
    const [code] = (await once(shell, 'close')) as [number | null];
    if (code !== 0) throw new Error(`the samples of ${page} ended with ${code}: ${said()}`);
    return said();
  }

  /** Starts a program of the folder in Node, to be ended with what is returned. */
  start(name: string, env: Readonly<Record<string, string>>): { said(): string; stop(): Promise<void> } {
    const child = spawn(process.execPath, [name], { cwd: this.dir, env: environment(env), stdio: 'pipe' });
    const said = heard(child);
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

/** A refused request fails the shell, and a stream that is cut off by the clock does not. */
const prelude = `set -eu
curl() {
  case "$*" in
    */v1/stream*) command curl --silent --show-error --fail --max-time 3 "$@" || [ $? -eq 28 ] ;;
    *) command curl --silent --show-error --fail-with-body --max-time 20 "$@" ;;
  esac
}
`;

/** What a process has printed so far. */
function heard(child: ChildProcessWithoutNullStreams): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
  return () => said;
}

function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    PATH: `${dirname(process.execPath)}:${env.PYTHON_DIR ?? ''}:${process.env.PATH}`,
    HOME: process.env.HOME,
    // The client's sources, as they are in the workspace.
    NODE_OPTIONS: '--conditions=sigcast-source',
    ...env,
  };
}

/** Whether a program can be run here. */
export function isAtHand(name: string, ...args: string[]): boolean {
  return spawnSync(name, args, { stdio: 'ignore' }).status === 0;
}
