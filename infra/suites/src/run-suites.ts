import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentsOf } from './contents.ts';
import { type Inputs, inputsOf, type Suite, suitesIn } from './inputs.ts';

export type SuitesOptions = {
  readonly root: string;
  /** Whether suites run whose inputs are those of their last passing run, too. */
  readonly all: boolean;
  readonly report: (line: string) => void;
  /** Runs a command of package.json on files. @returns whether all their tests passed. */
  readonly run: (command: string, files: readonly string[]) => boolean;
};

/**
 * Runs the suites whose inputs differ from those of their last passing run, and records those that pass.
 * @returns whether all of them passed.
 */
export function runSuites({ root, all, report, run }: SuitesOptions): boolean {
  const contents = contentsOf(root);
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const record = ({ name }: Suite) => join(root, '.ci/passed', `${name}.json`);
  const suites = suitesIn(contents.keys()).map((suite) => ({
    ...suite,
    inputs: inputsOf(suite, contents, read),
  }));
  const chosen = suites.filter((suite) => {
    const file = record(suite);
    const passed = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Inputs) : undefined;
    const changed = differences(suite.inputs, passed ?? {});
    const since = `${changed.join(', ') || 'nothing'} changed since it passed`;
    const why = passed === undefined ? 'it has not passed yet' : since;
    const runs = all || changed.length > 0;
    report(`${runs ? 'runs ' : 'skips'} ${suite.name}: ${all ? 'FORCE=1' : why}`);
    return runs;
  });
  let passedAll = true;
  for (const [command, group] of Map.groupBy(chosen, (suite) => suite.command)) {
    const passed = run(
      command,
      group.map(({ file }) => file),
    );
    passedAll &&= passed;
    if (!passed) continue;
    const now = contentsOf(root);
    mkdirSync(join(root, '.ci/passed'), { recursive: true });
    for (const suite of group) {
      const meanwhile = differences(inputsOf(suite, now, read), suite.inputs);
      if (meanwhile.length > 0)
        report(`${suite.name} is not recorded: ${meanwhile.join(', ')} changed while it ran`);
      else writeFileSync(record(suite), `${JSON.stringify(suite.inputs, null, 2)}\n`);
    }
  }
  return passedAll;
}

/** The parts that differ. */
function differences(inputs: Inputs, others: Inputs): string[] {
  const parts = new Set([...Object.keys(inputs), ...Object.keys(others)]);
  return [...parts].filter((part) => inputs[part] !== others[part]);
}
