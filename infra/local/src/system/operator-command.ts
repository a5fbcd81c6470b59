import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { nodeEnvironment } from '../node-environment.ts';
import { type CommandText, completionScript } from './completion.ts';
import { operatorSettings } from './operator-settings.ts';
import { type OperatedService, operatedServices, operatorEntryOf } from './process-spec.ts';

const program = 'npx pnpm@12 operator';

const usage = `Usage: ${program} SERVICE COMMAND [OPTIONS]

SERVICE is ${operatedServices.join(', ')}. Without COMMAND, the commands of the service are listed.
"completion" in place of SERVICE prints a script that completes all of this in bash:
  source <(npx pnpm@12 --silent operator completion)

Settings come from the environment. Where it has neither MONGODB_URI nor AMQP_URL, the command runs on the system that
"npx pnpm@12 start" has started on this machine.`;

function isService(name: string): name is OperatedService {
  return (operatedServices as readonly string[]).includes(name);
}

/**
 * Runs an operator command in a child process with this process's environment, input and output.
 * @param dir the folder of the local system.
 * @param argv the service and the command.
 * @returns the command's exit status: 0 done, 1 not possible, 2 called wrongly.
 */
export async function runOperatorCommand(dir: string, argv: readonly string[]): Promise<number> {
  const [service = '', ...args] = argv;
  if (service === '--help' || service === '-h') {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (service === 'completion') {
    process.stdout.write(`${completionScript(program, await commandsByService())}\n`);
    return 0;
  }
  if (!isService(service)) {
    const problem = service === '' ? 'SERVICE is missing.' : `There is no service "${service}".`;
    process.stderr.write(`${problem}\n\n${usage}\n`);
    return 2;
  }
  const local = await operatorSettings(dir, service, process.env);
  const env = nodeEnvironment({ ...process.env, ...local });
  // Ctrl-C reaches the command too. This process goes on to return the command's exit status.
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

/** The commands of each service, as its own program lists them. */
async function commandsByService(): Promise<Record<string, readonly CommandText[]>> {
  const run = promisify(execFile);
  const said = operatedServices.map(async (service) => {
    const { stdout } = await run(process.execPath, [operatorEntryOf(service), '--help', '--json'], {
      env: nodeEnvironment(process.env),
    });
    return [service, (JSON.parse(stdout) as { commands: CommandText[] }).commands] as const;
  });
  return Object.fromEntries(await Promise.all(said));
}
