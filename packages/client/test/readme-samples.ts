import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { NodeVersion } from '@sigcast/testing';

const run = promisify(execFile);
const inPackage = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The secret of receivers in samples. */
export const sampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** All samples of the README, in their order. */
export function samples(): string[] {
  const readme = readFileSync(inPackage('README.md'), 'utf8');
  return [...readme.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
}

/** Words that only one sample has, for each sample that runs here. */
const words = {
  winners: "signals.iterate({ status: 'winner' })",
  receiver: 'createServer(receive)',
  express: "app.post('/hook', receive)",
  fastify: 'reply.hijack()',
  hono: 'context.req.raw',
  next: 'export const POST',
  signing: 'signWebhook(body',
  listening: 'listen --print-secret',
  backtesting: 'sigcast.backtests.run(',
  following: 'sigcast.stream({',
} as const;

export type SampleName = keyof typeof words;

/** The samples that run here, by their names. */
export const sampleNames = Object.keys(words) as SampleName[];

/** A sample of the README. */
export function sample(name: SampleName): string {
  const found = samples().filter((text) => text.includes(words[name]));
  if (found.length !== 1) throw new Error(`${found.length} samples have "${words[name]}"`);
  return found[0] as string;
}

/** Links a dependency of this package into a project, as if the project had installed it. */
export function lend(project: string, name: string): void {
  const link = join(project, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(inPackage(`node_modules/${name}`), link);
}

/** The frameworks whose samples run here. */
export const frameworks = ['express', 'fastify', 'hono', 'next'] as const;
type Framework = (typeof frameworks)[number];

/** The code around each framework's sample that makes it a program, with `send(init)` to send it a request. */
const around: Readonly<Record<Framework, { readonly before: string; readonly after: string }>> = {
  express: {
    before: `import express from 'express';
      const app = express();
      const receive = nodeWebhookHandler({ secret: process.env.WEBHOOK_SECRET, handle });`,
    after: `app.use(express.json());
      const server = app.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const send = (init) => fetch('http://127.0.0.1:' + server.address().port + '/hook', init);`,
  },
  fastify: {
    before: `import fastify from 'fastify';
      const app = fastify();
      const receive = nodeWebhookHandler({ secret: process.env.WEBHOOK_SECRET, handle });`,
    after: `const url = await app.listen({ port: 0, host: '127.0.0.1' });
      const send = (init) => fetch(url + '/hook', init);`,
  },
  hono: {
    before: `import { Hono } from 'hono';
      const app = new Hono();`,
    after: `const send = (init) => app.request('/hook', init);`,
  },
  next: {
    before: '',
    after: `const send = (init) => POST(new Request('https://app.test/hook', init));`,
  },
};

/** Runs a framework's sample, and sends it a genuine delivery and a forged one. @returns what the program printed. */
export async function receiveWith(project: string, framework: Framework, node: NodeVersion): Promise<string> {
  const { before, after } = around[framework];
  const headersOf = sample('signing').split('\n').slice(0, 2).join('\n');
  const program = `import { once } from 'node:events';
    import { nodeWebhookHandler, signWebhook, webhookHandler } from '@sigcast/client';
    const handle = ({ event, data }, { id }) => console.log(event, data.id, id);
    ${before}
    ${sample(framework)}
    ${after}
    ${headersOf}
    console.log((await send({ method: 'POST', headers, body })).status);
    console.log((await send({ method: 'POST', headers, body: body + ' ' })).status);
    process.exit();`;
  const file = join(project, `${framework}.mjs`);
  writeFileSync(file, program);
  const env = { ...process.env, WEBHOOK_SECRET: sampleSecret };
  const { stdout } = await run(node.program, [file], { cwd: project, env, timeout: 30_000 });
  return stdout;
}

/** Starts a program of a project, which finds `node` in its PATH. */
export function startProgram(
  project: string,
  node: NodeVersion,
  { command, args, env = {} }: { command: string; args: readonly string[]; env?: Record<string, string> },
): { readonly child: ChildProcess; said: () => string } {
  const environment = { ...process.env, PATH: node.path, ...env };
  const child = spawn(command, args, { cwd: project, env: environment, detached: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => (said += data.toString()));
  }
  return { child, said: () => said };
}

/** Kills a program and the processes that it started. */
export function endProgram({ pid, exitCode }: ChildProcess): void {
  try {
    if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL');
  } catch {
    // The program has ended in between.
  }
}
