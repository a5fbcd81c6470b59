import { runOperator } from './operator/run.ts';

process.exitCode = await runOperator(process.argv.slice(2), process.env, {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  progress: process.stderr,
});
