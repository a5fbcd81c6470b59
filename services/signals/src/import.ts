import { runImport } from './import/run.ts';

process.exitCode = await runImport(process.argv.slice(2), process.env, process);
