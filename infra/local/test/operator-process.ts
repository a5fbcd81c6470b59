// Runs an operator command on the local system of a directory: `node operator-process.ts DIR SERVICE COMMAND …`.
import { runOperatorCommand } from '../src/system/operator-command.ts';

const [dir = '', ...argv] = process.argv.slice(2);
process.exitCode = await runOperatorCommand(dir, argv);
