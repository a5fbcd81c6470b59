/**
 * The most rows that one step of an explained query has read. In MongoDB's answer these are the examined index entries or
 * documents. In the development engine's answer, a plan of PostgreSQL, these are the rows of a scan, including filtered ones.
 */
export function rowsRead(answer: unknown): number {
  let most = 0;
  const visit = (value: unknown) => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const node = value as Readonly<Record<string, unknown>>;
    const count = (name: string) => Number(node[name] ?? 0);
    most = Math.max(most, count('totalKeysExamined'), count('totalDocsExamined'));
    if (/Scan$/.test(String(node['Node Type']))) {
      const thrownAway = count('Rows Removed by Filter') + count('Rows Removed by Index Recheck');
      most = Math.max(most, (count('Actual Rows') + thrownAway) * count('Actual Loops'));
    }
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(answer);
  return most;
}
