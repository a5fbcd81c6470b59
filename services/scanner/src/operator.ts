import { processOutput } from '@sigcast/operator';
import { runOperator } from './operator/run.ts';

process.exitCode = await runOperator(process.argv.slice(2), process.env, processOutput);
