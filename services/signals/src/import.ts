import { readFile } from 'node:fs/promises';
import { type Environment, readConfig } from '@sigcast/runtime';
import { z } from 'zod';
import { ImportProblem, parseOptions, usage } from './import/options.ts';
import { withProgress } from './import/progress.ts';
import { sendImport } from './import/send.ts';
import { openSource } from './import/source.ts';

const nothingReceived = {
  received: 0,
  created: 0,
  duplicates: 0,
  failed: 0,
  errors: [],
  errors_truncated: false,
};

/** Runs the command. @returns its exit code. @throws {ImportProblem} for exit code 2. */
async function run(args: readonly string[], env: Environment): Promise<0 | 1> {
  const options = parseOptions(args);
  if (!options) {
    process.stdout.write(usage);
    return 0;
  }
  const token = await readToken(options.tokenFile, env);
  const source = await openSource(options.file, options, new Date());
  process.stderr.write(`${options.file}: ${source.format}, ${source.bytes} bytes, to ${options.url}\n`);
  const answer = source.hasLines
    ? await sendImport({
        url: options.url,
        token,
        idempotencyKey: source.fingerprint,
        lines: withProgress(source.lines(), {
          totalBytes: source.lineBytes,
          unit: `${source.unit}s`,
          stream: process.stderr,
          nowMs: () => performance.now(),
        }),
      })
    : nothingReceived;

  const failures = [
    ...source.unusable,
    ...answer.errors.map(({ line, message }) => ({ number: line, reason: message })),
  ].sort((a, b) => a.number - b.number);
  for (const { number, reason } of failures) process.stdout.write(`${source.unit} ${number}: ${reason}\n`);
  if (answer.errors_truncated) {
    process.stdout.write(`and ${answer.failed - answer.errors.length} more ${source.unit}s that failed\n`);
  }
  if (source.format === 'dexscreener' && answer.received > 0) {
    process.stdout.write('holders is 0 in these signals: the format does not carry it\n');
  }
  const failed = answer.failed + source.unusable.length;
  const total = answer.received + source.unusable.length;
  process.stdout.write(
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

try {
  process.exitCode = await run(process.argv.slice(2), process.env);
} catch (error) {
  process.stderr.write(`import: ${(error as Error).message}\n`);
  if (!(error instanceof ImportProblem)) process.stderr.write(`${(error as Error).stack}\n`);
  process.exitCode = 2;
}
