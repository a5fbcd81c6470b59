import { dashboardExpressions, documentation, rules } from './files.ts';

/** A metric that an alert or a dashboard asks for, with the labels that it is selected by. */
export type UsedMetric = {
  readonly name: string;
  readonly labels: readonly string[];
  /** The rule or the panel. */
  readonly at: string;
};

/** What other programs show: Prometheus itself, and the node exporter. */
const ofOthers = new Set([
  'up',
  'ALERTS',
  ...['avail_bytes', 'readonly', 'size_bytes'].map((what) => `node_filesystem_${what}`),
]);

/** Words of PromQL that are not names of metrics. Functions are known by the bracket behind them. */
const words = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

/** What rules and dashboards ask the system's own processes for. Metrics that rules record have a colon in their names. */
export function usedMetrics(): readonly UsedMetric[] {
  const ofRules = rules().map(({ alert, record, expr }) => ({ at: alert ?? record ?? '', expr }));
  return [...ofRules, ...dashboardExpressions()]
    .flatMap(({ at, expr }) => metricsIn(expr).map((metric) => ({ ...metric, at })))
    .filter(({ name }) => !name.includes(':') && !ofOthers.has(name));
}

/** What the documentation names, and the labels that it says they have. */
export function documentedMetrics(): readonly UsedMetric[] {
  const named = /`((?:sigcast|http|messaging|db|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?`/g;
  return [...documentation().matchAll(named)].map(([, name = '', labels = '']) => ({
    name,
    labels: labels.split(',').filter((label) => label !== ''),
    at: 'docs/operations/alerts.md',
  }));
}

/** The metrics of a PromQL expression. Every selector has to name its metric. */
export function metricsIn(expr: string): readonly Omit<UsedMetric, 'at'>[] {
  const selectors = expr
    .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  return [...selectors.matchAll(/\b([a-zA-Z_][\w:]*)\b(?!\s*\()(?:\s*\{([^}]*)\})?/g)]
    .filter(([, name = '']) => !words.has(name))
    .map(([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=|!)/g)].map(([, label = '']) => label),
    }));
}
