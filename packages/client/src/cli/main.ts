// `sigcast`: the API on a command line.
import { run } from './run.ts';
import { processIo } from './terminal.ts';

process.exitCode = await run(process.argv.slice(2), processIo());
