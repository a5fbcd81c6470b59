import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus, devNull, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ensureNginx } from '@sigcast/local';
import { type Bench, say } from '../frame.ts';
import { compareDeliveries } from './deliveries.ts';
import { compareGateways } from './gateways.ts';
import { compareLog } from './log.ts';
import { compareLoops } from './memory.ts';
import { type Sizes, sectionText } from './section.ts';
import { compareStatistics } from './statistics.ts';

const page = fileURLToPath(new URL('../../../../docs/benchmarks.md', import.meta.url));

/** The parts, in the order of the page, with to how many rows of its table each of the others is compared. */
const parts = [
  [compareGateways, 2],
  [compareDeliveries, 1],
  [compareStatistics, 1],
  [compareLog, 1],
  [compareLoops, 1],
] as const;

/**
 * The product beside what one would take instead and beside the least that such work can cost, as a page of the documentation.
 * `seconds`: of each measurement of requests; `signals`: in the store; `out`: the page's file.
 */
export const compare: Bench = {
  parameters: { rounds: 3, seconds: 5, signals: 100_000, out: page },
  run: async (_scope, given) => {
    const texts: string[] = [];
    const sizes = {
      rounds: given.number('rounds'),
      seconds: given.number('seconds'),
      signals: given.number('signals'),
    };
    for (const [part, besides] of parts) {
      // Each has stores of its own, which end with it: nothing runs beside what is measured.
      await using scope = new AsyncDisposableStack();
      for (const section of await part(scope, sizes)) {
        const text = sectionText(section, besides);
        say(text);
        texts.push(text);
      }
    }
    const { version } = await ensureNginx({ logFile: devNull, report: say });
    await writeFile(given.text('out'), pageOf(texts, version, sizes));
  },
};

function pageOf(sections: readonly string[], nginx: string, { rounds }: Sizes): string {
  const versions = [
    ...['express', 'undici', 'http-proxy-middleware', 'express-rate-limit', 'rate-limit-redis'],
    ...['ioredis', 'mongoose'],
  ].map((name) => `${name} ${versionOf(name)}`);
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB`;
  return `# Beside what one would take instead

<!-- Written by \`npx pnpm@12 bench compare\`. -->

Ratios, since a machine that is busy or slow changes all figures alike: the median of ${rounds} rounds in which all took turns, with
the lowest and the highest. Measured on ${new Date().toISOString().slice(0, 10)} on a machine of ${machine}, with the load, the
receivers and the stores on the same machine. Processor time and memory are those of the named process alone, unless a section says otherwise.
Every contender is in [packages/bench](../packages/bench/README.md).

${sections.join('\n')}
## Versions

Node ${process.versions.node}, ${versions.join(', ')}, ${nginx} with \`lua-resty-core\`; Redis and the store as the development system has
them ([README](../README.md)).
`;
}

function versionOf(name: string): string {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
