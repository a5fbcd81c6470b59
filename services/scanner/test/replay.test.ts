import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signalTypes } from '@sigcast/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { candidateKey } from '../src/domain/candidate.ts';
import { defaultThresholds, reasons } from '../src/domain/rules/v1.ts';
import { runOperator } from '../src/operator/run.ts';
import type { Replayed } from '../src/recording/replay.ts';
import { fileOf, secondSignals } from './recording/second-signals.ts';
import { syntheticMarket } from './recording/synthetic-market.ts';

const file = fileOf('synthetic-market.ndjson');

/** A file of this test alone. */
function fileWith(text: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'sigcast-replay-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'file');
  writeFileSync(path, text);
  return path;
}

async function operator(...args: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const output = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
  const progress = { write: () => undefined };
  const status = await runOperator(args, {}, { ...output, progress });
  return { status, out: out.join('\n'), err: err.join('\n') };
}

async function replayed(...args: readonly string[]): Promise<Replayed> {
  const { status, out, err } = await operator('replay', ...args, '--json');
  expect(status, err).toBe(0);
  return JSON.parse(out) as Replayed;
}

const shortOf = ({ signals }: Replayed) =>
  signals
    .map(({ type, token, origin, metrics }) => ({
      type,
      token: candidateKey({ chain: token.chain ?? '', contract: token.contract }),
      at: origin?.observed_at,
      mcap: metrics.mcap_entry,
      liquidity: metrics.liquidity,
    }))
    .toSorted((one, other) => (`${one.token} ${one.type}` < `${other.token} ${other.type}` ? -1 : 1));

describe('the shipped recording', () => {
  it('is what the program beside it makes, small, and has each type and each reason', async () => {
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(syntheticMarket());
    expect(text.length).toBeLessThan(300_000);
    const { signals, refusals } = await replayed(file);
    expect(new Set(signals.map(({ type }) => type))).toEqual(new Set(signalTypes));
    expect(Object.keys(refusals).sort()).toEqual([...reasons].sort());
  });

  it('gives the signals that a second implementation makes of it, whatever the thresholds', async () => {
    const { traps, premium, ...others } = defaultThresholds;
    const loose = { ...others, traps: { ...traps, min_liquidity_usd: 1_000, max_top10_share: 1 }, premium };
    for (const thresholds of [defaultThresholds, loose]) {
      const second = secondSignals(file, thresholds);
      expect(second.length).toBeGreaterThan(20);
      const rules = fileWith(JSON.stringify(thresholds));
      const first = shortOf(await replayed(file, '--rules', rules));
      expect(first).toEqual(
        second.toSorted((one, other) =>
          `${one.token} ${one.type}` < `${other.token} ${other.type}` ? -1 : 1,
        ),
      );
    }
  });

  it('shows how the tracker would have ended each signal', async () => {
    const { signals } = await replayed(file);
    const outcomes = Object.fromEntries(signals.map(({ token, outcome }) => [token.contract, outcome]));
    expect(outcomes).toMatchObject({
      'new-up': { status: 'winner', decided_at: '2026-01-15T12:24:01.000Z', roi: 160 },
      'new-low': { status: 'dead', roi: -95 },
      'new-rug': { status: 'rugged', roi: -98 },
      'three-days': { status: 'active', decided_at: null, observations: 5, roi: 0 },
    });
  });
});

describe('replay', () => {
  it('names bad lines by their number, and goes on', async () => {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const broken = [...lines];
    broken.splice(1, 0, '{"at":"2026-01-15T12:00:00.000Z","source":"dexscreener","path":"/tokens');
    broken.splice(3, 0, JSON.stringify({ at: 'noon', source: 'dexscreener', path: '/', json: 1 }));
    broken.splice(4, 0, JSON.stringify({ at: '2026-01-15T12:00:00Z', source: 'dexscreener', path: '/' }));
    const { bad_lines, signals } = await replayed(fileWith(broken.join('\n')));
    expect(bad_lines.map(({ line }) => line)).toEqual([2, 4, 5]);
    expect(signals).toEqual((await replayed(file)).signals);
    const { err } = await operator('replay', fileWith(broken.join('\n')));
    expect(err).toContain('line 2 is left out: it is no JSON\nline 4 is left out: at is wrong');
  });

  it('names thresholds of its own v1-custom, and says whose risks are not recorded', async () => {
    const rules = fileWith('{"new":{"min_buys_1h":20}}');
    const custom = await replayed(file, '--rules', rules);
    expect(custom.rule).toBe('v1-custom');
    expect(custom.signals.length).toBeGreaterThan((await replayed(file)).signals.length);
    const lines = readFileSync(file, 'utf8').split('\n');
    const without = fileWith(lines.filter((line) => !line.includes('/info"')).join('\n'));
    const unknown = await replayed(without);
    expect(unknown.unrecorded).toBeGreaterThan(10);
    const { err } = await operator('replay', without);
    expect(err).toBe(
      `holders and risks of ${unknown.unrecorded} tokens were not recorded: they count as unknown`,
    );
  });

  it.each([
    [['--rules', 'no-such-file'], /--rules no-such-file can't be read/],
    [['--rules', file], /must be JSON with an object for each group of rules/],
  ])('refuses wrong rules: %j', async (args, problem) => {
    const { status, err } = await operator('replay', file, ...args);
    expect(status).toBe(2);
    expect(err).toMatch(problem);
  });

  it('says that a file can’t be read', async () => {
    const { status, err } = await operator('replay', 'no-such-file');
    expect(status).toBe(1);
    expect(err).toMatch(/no-such-file can't be read/);
  });
});
