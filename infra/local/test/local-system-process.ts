// Runs the local system for a test: `node local-system-process.ts DIR PORT`.
import { runLocalSystem } from '../src/system/run.ts';

const [dir = '', port = ''] = process.argv.slice(2);
process.exitCode = await runLocalSystem({
  dir,
  port: Number(port),
  demo: false,
  live: process.argv.includes('--live'),
  fresh: false,
  verbose: false,
  env: process.argv.includes('--live') ? process.env : {},
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
});
process.exit();
