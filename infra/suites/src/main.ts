// Runs the suites whose inputs differ from those of their last passing run; with FORCE=1 all of them. Exit 1 when one fails.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runSuites } from './run-suites.ts';

const passed = runSuites({
  root: join(import.meta.dirname, '../../..'),
  all: process.env.FORCE === '1',
  report: (line) => void process.stdout.write(`${line}\n`),
  run: (command, files) => spawnSync('pnpm', ['run', command, ...files], { stdio: 'inherit' }).status === 0,
});
if (!passed) process.exitCode = 1;
