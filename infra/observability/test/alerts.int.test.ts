import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePromtool } from '@sigcast/local';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  dashboardExpressions,
  documentation,
  metricsIn,
  ruleFiles,
  rules,
  ruleTestFiles,
  ruleTests,
} from '../src/index.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);

let promtool: string;
beforeAll(async () => {
  const logFile = join(root, '.local/logs/promtool.log');
  promtool = await ensurePromtool({ logFile, report: (line) => process.stderr.write(`${line}\n`) });
}, 240_000);

/** Runs promtool. @throws an error with what it printed. */
async function tool(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(promtool, [...args]).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });
  return stdout;
}

const alerts = rules().filter(({ alert }) => alert !== undefined);

describe('the rules', () => {
  it('and the configuration are accepted by Prometheus', async () => {
    await tool('check', 'rules', ...ruleFiles);
    const folder = dirname(ruleFiles[0] ?? '');
    for (const name of ['prometheus.yml', 'prometheus.local.yml'])
      await tool('check', 'config', join(folder, '..', 'prometheus', name));
  });

  it('raise each alert by its fault, and not in a healthy system', async () => {
    await tool('test', 'rules', ...ruleTestFiles);
  }, 60_000);

  it('have tests for each alert, with a fault that raises it and with a system that does not', () => {
    const tests = ruleTests();
    const untested = alerts.filter(({ alert = '' }) => {
      const { raised = 0, silent = 0 } = tests.get(alert) ?? {};
      return raised === 0 || silent === 0;
    });
    expect(alerts.length).toBeGreaterThan(0);
    expect(untested.map(({ alert }) => alert)).toEqual([]);
  });

  it('give each alert a severity, a sentence, and a link to its part of the runbook', () => {
    const headings = [...documentation().matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(alerts.map(({ alert }) => alert));
    for (const { alert = '', labels, annotations } of alerts) {
      expect(labels?.severity).toMatch(/^(page|ticket)$/);
      expect(annotations?.summary).toMatch(/\.$|\{\{ end \}\}$/);
      expect(annotations?.runbook_url).toBe(`docs/operations/alerts.md#${alert.toLowerCase()}`);
    }
  });
});

describe('the dashboard', () => {
  it('has only expressions that Prometheus understands', async () => {
    const expressions = dashboardExpressions();
    expect(expressions.length).toBeGreaterThan(0);
    const groups = [
      { name: 'panels', rules: expressions.map(({ expr }, n) => ({ record: `panel:${n}`, expr })) },
    ];
    const dir = mkdtempSync(join(tmpdir(), 'sigcast-panels-'));
    const file = join(dir, 'panels.json');
    writeFileSync(file, JSON.stringify({ groups }).replaceAll('$__rate_interval', '5m'));
    await tool('check', 'rules', file).finally(() => rmSync(dir, { recursive: true }));
  });
});

describe('the metrics of an expression', () => {
  it('are found with the labels that select them, among functions, keywords, other labels and recorded names', () => {
    const expr = `histogram_quantile(0.99, sum by (le, http_route) (rate(a_bucket{job="x",r!~"by (b)"}[5m])))
      > 1e3 and on (job) max(b) unless c{d="}"} / ignoring (e) group_left (f) g:h:rate5m offset 5m`;
    expect(metricsIn(expr)).toEqual([
      { name: 'a_bucket', labels: ['job', 'r'] },
      { name: 'b', labels: [] },
      { name: 'c', labels: ['d'] },
      { name: 'g:h:rate5m', labels: [] },
    ]);
  });
});

describe('the files for docker compose', () => {
  it('mounts only files and folders that exist', () => {
    const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
    const mounted = [...text.matchAll(/\.\/(infra\/[^:"\s]+):/g)].map(([, path = '']) => path);
    expect(mounted).toContain('infra/observability/rules');
    expect(mounted.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('make Prometheus the default data source, which the dashboard’s panels use', () => {
    const file = 'infra/observability/grafana/provisioning/datasources/datasources.yml';
    type Sources = {
      readonly datasources: readonly { readonly type: string; readonly isDefault?: boolean }[];
    };
    const { datasources } = parse(readFileSync(join(root, file), 'utf8')) as Sources;
    expect(datasources.filter(({ isDefault }) => isDefault).map(({ type }) => type)).toEqual(['prometheus']);
  });
});
