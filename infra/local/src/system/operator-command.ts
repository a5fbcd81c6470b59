import { spawn } from 'node:child_process';
import { operatorSettings } from './operator-settings.ts';
import { type OperatedService, operatedServices, operatorEntryOf } from './process-spec.ts';

const usage = `Usage: npx pnpm@12 operator SERVICE COMMAND [OPTIONS]

SERVICE is ${operatedServices.join(', ')}. Without COMMAND, the commands of the service are listed.

Settings come from the environment. Where it has neither MONGODB_URI nor AMQP_URL, the command runs on the system that
"npx pnpm@12 start" has started on this machine.`;

function isService(name: string): name is OperatedService {
  return (operatedServices as readonly string[]).includes(name);
}

/**
 * Runs an operator command of a service, `argv` being the service and the command, in a process that has this one's
 * environment, input and output. `dir` is what the local system keeps.
 * @returns the command's exit status: 0 done, 1 not possible, 2 called wrongly.
 */
export async function runOperatorCommand(dir: string, argv: readonly string[]): Promise<number> {
  const [service = '', ...args] = argv;
  if (service === '--help' || service === '-h') {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (!isService(service)) {
    const problem = service === '' ? 'SERVICE is missing.' : `There is no service "${service}".`;
    process.stderr.write(`${problem}\n\n${usage}\n`);
    return 2;
  }
  const local = await operatorSettings(dir, service, process.env);
  const env = { ...process.env, ...local };
  // Ctrl-C reaches the command too; its exit status is waited for.
  process.on('SIGINT', () => undefined);
  const command = spawn(process.execPath, [operatorEntryOf(service), ...args], { stdio: 'inherit', env });
  const status = await new Promise<number>((resolve, reject) => {
    command.once('error', reject);
    command.once('close', (code) => resolve(code ?? 1));
  });
  if (status === 2 && local === undefined) {
    process.stderr.write('No local system is running; settings come from the environment alone.\n');
  }
  return status;
}
