/** What processes show: the labels of each metric, of a histogram and of its samples. Undefined while there is nothing to show. */
export type ExposedMetrics = Map<string, Set<string> | undefined>;

/** Labels that Prometheus puts on all it reads. */
const ofTarget = ['job', 'instance'];

/** Names of a histogram's samples (Prometheus: Exposition formats). */
const ofHistogram = /_(bucket|sum|count)$/;

/** Reads what `/metrics` answers (Prometheus' text format) and adds it to what other processes show. */
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
