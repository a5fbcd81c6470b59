import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleOf, statisticsSchema } from '@sigcast/contracts';
import { describe, expect, it } from 'vitest';
import { readApi } from '../src/api.ts';
import { clientSamples, openGuides } from '../src/index.ts';
import { sampleOfEntry } from '../src/reference/operation.ts';
import { clientCode } from '../src/samples/languages.ts';
import { answerOf } from '../src/samples/sample-block.ts';

const root = join(import.meta.dirname, '../../..');
const api = readApi('');

describe('a sample', () => {
  it('of every operation is accepted by the types of the client', () => {
    using dir = folder();
    const samples = api.entries
      .flatMap((entry) => clientCode(sampleOfEntry(entry)))
      .filter(({ name }) => name === 'TypeScript');
    expect(samples.length).toBeGreaterThan(20);
    for (const [at, { text }] of samples.entries()) writeFileSync(join(dir.path, `sample-${at}.mts`), text);
    const options = {
      paths: { '@sigcast/client': [join(root, 'packages/client/src/index.ts')] },
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(
      join(dir.path, 'tsconfig.json'),
      JSON.stringify({
        extends: join(root, 'tsconfig.base.json'),
        compilerOptions: options,
        include: ['*.mts'],
      }),
    );
    expect(compilerSays(dir.path)).toBe('');
  });

  it('is made of a single request, with variables, texts in quotes, lists and numbers as each language writes them', () => {
    const [typescript, python] = clientSamples(
      `curl -X POST "$SIGCAST_URL/v1/webhooks" -H "Authorization: Bearer $SIGCAST_API_KEY" \\
  -d '{"url": "'"$URL"'", "events": ["signal.new"], "batch": null, "description": "a \\"b\\""}'`,
    );
    expect(typescript?.text).toContain(`url: process.env.URL ?? '',`);
    expect(typescript?.text).toContain(`description: 'a "b"'`);
    expect(python?.text).toContain('url=os.environ["URL"],');
    expect(python?.text).toContain('batch=None,');
    expect(clientSamples('curl "$SIGCAST_URL/v1/signals" | head -1')).toEqual([]);
    expect(clientSamples('curl "$SIGCAST_URL/v1/signals"\ncurl "$SIGCAST_URL/v1/stats"')).toEqual([]);
  });

  it('shows the first answer of each operation on a page, and none where the request asks for more members', () => {
    const page = openGuides().texts.find(({ path }) => path === '/docs/statistics');
    const samples = page?.content().split('<div class="sample"').slice(1) ?? [];
    const answered = samples.filter((sample) => sample.includes('class="answer"'));
    expect(answered).toHaveLength(2);
    for (const sample of answered) expect(sample.split('class="answer"')[0]).not.toContain('include=');
  });

  it('is answered with what its request sets, and with figures that add up', () => {
    const create = api.entries.find(({ id }) => id === 'createWebhook');
    const body = { url: '$RECEIVER_URL', events: ['signal.dead'], types: ['wallet'], ordered: true };
    const answer = create && answerOf({ entry: create, ids: [], query: {}, body });
    const none = { telegram: null, batch: null, filter: null, recovery: null };
    expect(answer?.example).toMatchObject({
      data: { ...body, ...none, url: 'https://example.com/hooks/sigcast' },
    });
    const { total_signals: signals, winners, by_type: types } = sampleOf(statisticsSchema);
    const sum = (name: 'total' | 'winners') =>
      Object.values(types).reduce((total, figures) => total + (figures?.[name] ?? 0), 0);
    expect([sum('total'), sum('winners')]).toEqual([signals, winners]);
  });
});

function compilerSays(dir: string): string {
  try {
    return execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', dir], { encoding: 'utf8' });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

function folder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'sigcast-samples-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
