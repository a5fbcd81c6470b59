import { dashboardExpressions, documentation, rules } from './files.ts';

/** A metric that a rule, a dashboard or the documentation names, and its labels that are named with it. */
export type UsedMetric = {
  readonly name: string;
  readonly labels: readonly string[];
  /** The rule, the panel or the page that names it. */
  readonly at: string;
};

/** Metrics of other programs: of Prometheus itself, and of the node exporter. */
const ofOthers = new Set([
  'up',
  'ALERTS',
  ...['avail_bytes', 'readonly', 'size_bytes'].map((what) => `node_filesystem_${what}`),
]);

/** Words of PromQL that are not names of metrics. Functions need not be listed: a bracket follows them. */
const words = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

/** The metrics of our processes that rules and dashboards use. Not those that rules record: they have a colon in their names. */
export function usedMetrics(): readonly UsedMetric[] {
  const ofRules = rules().map(({ alert, record, expr }) => ({ at: alert ?? record ?? '', expr }));
  return [...ofRules, ...dashboardExpressions()]
    .flatMap(({ at, expr }) => metricsIn(expr).map((metric) => ({ ...metric, at })))
    .filter(({ name }) => !name.includes(':') && !ofOthers.has(name));
}

/** The metrics that the documentation names, with the labels that it gives them. */
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
