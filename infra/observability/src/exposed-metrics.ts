/**
 * The labels of each metric that processes show. A histogram stands here by its own name and by the names of its samples. The
 * labels are undefined while the metric has no sample.
 */
export type ExposedMetrics = Map<string, Set<string> | undefined>;

/** Labels that Prometheus adds to every sample that it reads. */
const ofTarget = ['job', 'instance'];

/** How names of a histogram's samples end (Prometheus: Exposition formats). */
const ofHistogram = /_(bucket|sum|count)$/;

/** Reads an answer of `/metrics` (Prometheus' text format) and adds it to `all`, the metrics of other processes. */
export function readExposed(text: string, all: ExposedMetrics = new Map()): ExposedMetrics {
  const add = (name: string, labels?: readonly string[]) => {
    const known = all.get(name);
    all.set(name, labels === undefined ? known : new Set([...(known ?? ofTarget), ...labels]));
  };
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\S+) (\w+)$/.exec(line) ?? [];
    if (declared !== undefined) add(declared);
    if (type === 'histogram') for (const suffix of ['_bucket', '_sum', '_count']) add(`${declared}${suffix}`);
    const [, name, matched = ''] = /^([a-zA-Z_]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const labels = [...matched.matchAll(/(?:^|,)(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label = '']) => label);
    add(name, labels);
    const histogram = name.replace(ofHistogram, '');
    if (histogram !== name && all.has(histogram)) add(histogram, labels);
  }
  return all;
}
