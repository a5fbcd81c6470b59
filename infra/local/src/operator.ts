// `npx pnpm@12 operator SERVICE COMMAND …`: the operator commands of all services.
import { join } from 'node:path';
import { runOperatorCommand } from './system/operator-command.ts';

const dir = join(import.meta.dirname, '..', '..', '..', '.local');
process.exitCode = await runOperatorCommand(dir, process.argv.slice(2));
