import { readFile } from 'node:fs/promises';
import { type Environment, type ProgressStream, readConfig } from '@sigcast/runtime';
import { z } from 'zod';
import { ImportProblem, parseOptions, usage } from './options.ts';
import { withProgress } from './progress.ts';
import { sendImport } from './send.ts';
import { openSource } from './source.ts';

const nothingReceived = {
  received: 0,
  created: 0,
  duplicates: 0,
  failed: 0,
  errors: [],
  errors_truncated: false,
};

/** Where the command writes. */
type Output = {
  readonly stdout: Pick<ProgressStream, 'write'>;
  readonly stderr: ProgressStream;
};

/** Runs the command. @returns its exit code: 1 when lines failed, 2 when it could not begin or end its work. */
export async function runImport(
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<0 | 1 | 2> {
  try {
    return await send(args, env, output);
  } catch (error) {
    output.stderr.write(`import: ${(error as Error).message}\n`);
    if (!(error instanceof ImportProblem)) output.stderr.write(`${(error as Error).stack}\n`);
    return 2;
  }
}

/** @throws {ImportProblem} for exit code 2. */
async function send(args: readonly string[], env: Environment, { stdout, stderr }: Output): Promise<0 | 1> {
  const options = parseOptions(args);
  if (!options) {
    stdout.write(usage);
    return 0;
  }
  const token = await readToken(options.tokenFile, env);
  const source = await openSource(options.file, options, new Date());
  stderr.write(`${options.file}: ${source.format}, ${source.bytes} bytes, to ${options.url}\n`);
  const answer = source.hasLines
    ? await sendImport({
        url: options.url,
        token,
        idempotencyKey: source.fingerprint,
        lines: withProgress(source.lines(), {
          totalBytes: source.lineBytes,
          unit: `${source.unit}s`,
          stream: stderr,
          nowMs: () => performance.now(),
        }),
      })
    : nothingReceived;

  const failures = [
    ...source.unusable,
    ...answer.errors.map(({ line, message }) => ({ number: line, reason: message })),
  ].sort((a, b) => a.number - b.number);
  for (const { number, reason } of failures) stdout.write(`${source.unit} ${number}: ${reason}\n`);
  if (answer.errors_truncated) {
    stdout.write(`and ${answer.failed - answer.errors.length} more ${source.unit}s that failed\n`);
  }
  if (source.format === 'dexscreener' && answer.received > 0) {
    stdout.write('holders is 0 in these signals: the format does not carry it\n');
  }
  const failed = answer.failed + source.unusable.length;
  const total = answer.received + source.unusable.length;
  stdout.write(
    `${total} ${source.unit}s: ${answer.created} created, ${answer.duplicates} were there already, ${failed} failed\n`,
  );
  return failed === 0 ? 0 : 1;
}

async function readToken(file: string | undefined, env: Environment): Promise<string> {
  const fromEnv = readConfig({ INGEST_TOKEN: z.string().optional() }, env).INGEST_TOKEN;
  if (file === undefined) {
    if (fromEnv === undefined)
      throw new ImportProblem('a service token is required: give --token-file or set INGEST_TOKEN');
    return fromEnv.trim();
  }
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new ImportProblem(`--token-file can't be read: ${(cause as Error).message}`, { cause });
  }
}
