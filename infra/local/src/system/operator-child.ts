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

const { runOperator } = (await import(pathToFileURL(operatorRunOf('gateway')).href)) as { runOperator: Run };

process.on('message', async ({ id, args, env }: OperatorRequest) => {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await runOperator(args, env, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  const answer: OperatorAnswer = { id, status, out: out.join('\n'), err: err.join('\n') };
  process.send?.(answer);
});
