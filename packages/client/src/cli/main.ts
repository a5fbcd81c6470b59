// `sigcast`: the API on a command line.
import { run } from './run.ts';
import { processIo } from './terminal.ts';

// Whoever read the output has seen enough, as `head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await run(process.argv.slice(2), processIo());
