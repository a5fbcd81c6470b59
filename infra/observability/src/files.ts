import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

const here = join(import.meta.dirname, '..');

/** A rule of Prometheus: either it raises an alert, or it records the value of its expression as another metric. */
export type Rule = {
  readonly expr: string;
  readonly alert?: string;
  readonly record?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** The paths of the rule files, and of their tests. */
export const ruleFiles: readonly string[] = files('rules/*.yml');
export const ruleTestFiles: readonly string[] = files('rules-tests/*.yml');

/** All rules, in order. */
export function rules(): readonly Rule[] {
  type Groups = { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
  return ruleFiles.flatMap((file) => (parse(read(file)) as Groups).groups.flatMap((group) => group.rules));
}

/** How many tests of the rules expect each alert to be raised, and how many expect it to stay silent. */
export function ruleTests(): ReadonlyMap<string, { raised: number; silent: number }> {
  type Expectation = { readonly alertname: string; readonly exp_alerts: readonly unknown[] };
  type Tests = { readonly tests: readonly { readonly alert_rule_test: readonly Expectation[] }[] };
  const found = new Map<string, { raised: number; silent: number }>();
  const all = ruleTestFiles.flatMap((file) => (parse(read(file)) as Tests).tests);
  for (const { alertname, exp_alerts: expected } of all.flatMap((test) => test.alert_rule_test)) {
    const counts = found.get(alertname) ?? { raised: 0, silent: 0 };
    if (expected.length > 0) counts.raised += 1;
    else counts.silent += 1;
    found.set(alertname, counts);
  }
  return found;
}

/** The expressions of all panels of the dashboards, with the file and the panel. */
export function dashboardExpressions(): readonly { readonly at: string; readonly expr: string }[] {
  type Target = { readonly expr: string };
  type Panels = {
    readonly panels: readonly { readonly title: string; readonly targets?: readonly Target[] }[];
  };
  return files('grafana/dashboards/*.json').flatMap((file) =>
    (JSON.parse(read(file)) as Panels).panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ at: `${basename(file)}: ${title}`, expr })),
    ),
  );
}

/** The page about alerts and metrics. */
export function documentation(): string {
  return read(join(here, '../../docs/operations/alerts.md'));
}

function files(pattern: string): string[] {
  return globSync(pattern, { cwd: here })
    .sort()
    .map((file) => join(here, file));
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}
