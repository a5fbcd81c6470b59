// Runs operator commands of the gateway for its parent process (see `OperatorProcess`), and ends with it.
import { pathToFileURL } from 'node:url';
import { operatorRunOf } from './process-spec.ts';

/** A command and its settings. */
export type OperatorRequest = {
  readonly id: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

/** What a command printed, and its exit status. */
export type OperatorAnswer = {
  readonly id: number;
  readonly status: number;
  readonly out: string;
  readonly err: string;
};

type Run = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  output: { readonly out: (line: string) => void; readonly err: (line: string) => void },
) => Promise<number>;

process.once('disconnect', () => process.exit());

// By its path, since the local system names services but imports none of them.
const { runOperator } = (await import(pathToFileURL(operatorRunOf('gateway')).href)) as { runOperator: Run };

process.on('message', async ({ id, args, env }: OperatorRequest) => {
  const [out, err]: [string[], string[]] = [[], []];
  const output = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
  const status = await runOperator(args, env, output).catch((error: unknown) => {
    err.push(String(error));
    return 1;
  });
  const answer: OperatorAnswer = { id, status, out: out.join('\n'), err: err.join('\n') };
  process.send?.(answer);
});
