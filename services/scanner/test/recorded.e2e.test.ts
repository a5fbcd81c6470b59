import { signalTypes } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { expect, it } from 'vitest';
import { defaultThresholds } from '../src/domain/rules/v1.ts';
import { firstAnswers, startRecordedSources } from './recorded-sources.ts';
import { chainOf, fileOf, keyOf, linesOf, listedIn } from './recording/second-signals.ts';
import { isSendable, secondFigures, secondVerdict } from './second-rules.ts';
import { useScanner } from './use-scanner.ts';

const { startScanner, signalsOf, originOf } = useScanner();
const file = fileOf('synthetic-market.ndjson');
const chains = ['solana', 'base', 'ethereum', 'avalanche', 'injective'];
const orNull = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);

/** The signals that the second implementation of the rules makes of the first answers of the file, with their figures. */
function expected() {
  const { pairs, facts, beganAtMs } = firstAnswers(file);
  const buyersOf = new Map(linesOf(file).flatMap((line) => [...listedIn(line)]));
  return [...pairs].flatMap(([token, own]) => {
    const [chain = '', key = ''] = token.split(':');
    const network = Object.entries(chainOf).find(([, name]) => name === chain)?.[0] ?? chain;
    const path = [...facts.keys()].find(
      (each) => each.startsWith(`/networks/${network}/tokens/`) && keyOf(each.split('/')[4] ?? '') === key,
    );
    const info = path === undefined ? undefined : facts.get(path);
    const based = own.filter(({ baseToken: { address } }) => keyOf(address) === key);
    const figures = secondFigures({ pairs: based, info, buyers: buyersOf.get(token), atMs: beganAtMs });
    if (figures === undefined || info === null || !isSendable(figures)) return [];
    const verdict = secondVerdict(figures, defaultThresholds);
    const said = {
      token,
      mcap: figures.mcap,
      liquidity: figures.liquidity,
      volume_1h: orNull(figures.volume1h),
      buys_1h: orNull(figures.buys),
      sells_1h: orNull(figures.sells),
      buyers_1h: orNull(figures.buyers),
      change_1h: orNull(figures.change),
      top10_share: orNull(figures.top10),
      mintable: figures.mintable ?? null,
      freezable: figures.freezable ?? null,
      honeypot: figures.honeypot ?? null,
    };
    return signalTypes.filter((type) => verdict[type] === '').map((type) => ({ type, ...said }));
  });
}

async function made() {
  const signals = await signalsOf('');
  return Promise.all(
    signals.map(async (signal) => {
      const { type, token, metrics } = signal;
      const origin = await originOf(signal);
      return {
        type,
        token: `${token.chain}:${keyOf(token.contract)}`,
        mcap: metrics.mcap_entry,
        liquidity: metrics.liquidity,
        ...origin?.figures,
        ...origin?.risks,
      };
    }),
  );
}

const sorted = <T extends { readonly token: string; readonly type: string }>(signals: readonly T[]) =>
  signals.toSorted((one, other) => (`${one.token} ${one.type}` < `${other.token} ${other.type}` ? -1 : 1));

it('three scanners make of recorded answers with three in ten faults what a second implementation of the rules makes of the file, and nothing twice', async () => {
  await using sources = await startRecordedSources(firstAnswers(file), 41);
  const wanted = sorted(expected());
  expect(new Set(wanted.map(({ type }) => type))).toEqual(new Set(signalTypes));
  const settings = {
    SCANNER_DEXSCREENER_URL: sources.url,
    SCANNER_GECKOTERMINAL_URL: `${sources.url}/api/v2`,
    SCANNER_CHAINS: chains.join(','),
    // A source pauses after each fault, also of its lists, so they are read seldom.
    SCANNER_LISTS_MS: '2000',
  };
  for (let n = 0; n < 3; n += 1) startScanner('recorded', settings);
  const limit = { timeoutMs: 180_000, everyMs: 500 };
  await eventually(async () => expect(sorted(await made())).toEqual(wanted), limit);
  // All tokens are judged some times more, with faults, and nothing is made of them.
  const before = sources.counts.markets;
  await eventually(() => expect(sources.counts.markets).toBeGreaterThan(before + 30), limit);
  expect(sorted(await made())).toEqual(wanted);
  const { faults, requests } = sources.counts;
  expect(faults / requests).toBeGreaterThan(0.2);
}, 400_000);
