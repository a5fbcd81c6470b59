import { mongoSettings } from '@sigcast/mongo';
import { redisSettings } from '@sigcast/redis';
import { gatewayKeys, parseJson, reads, serverSettings, settings, signalsAccess } from '@sigcast/runtime';
import { tracingSettings } from '@sigcast/telemetry';
import { z } from 'zod';
import type { Thresholds } from './domain/rules/thresholds.ts';
import { defaultThresholds } from './domain/rules/v1.ts';

const chainsForm = /^[a-z0-9-]+(,[a-z0-9-]+)*$/;

/** Where the scanner's memory is. */
export const storeSettings = mongoSettings('sigcast_scanner');

/** Which sources are asked, how often, and by which rules their tokens are judged. */
const sourceSettings = {
  SCANNER_DEXSCREENER_URL: settings.baseUrl
    .optional()
    .describe(
      "Address of a source in DexScreener's format, asked for lists and markets; without it nothing is scanned.",
    ),
  SCANNER_DEXSCREENER_LISTS_PER_MINUTE: settings
    .integer(60, 1, 60_000)
    .describe(
      'Requests for its lists in a minute, and as many for orders, over all processes that share a Redis.',
    ),
  SCANNER_DEXSCREENER_PER_MINUTE: settings
    .integer(300, 1, 60_000)
    .describe(
      'Requests for its markets in a minute, over all processes that share a Redis, the pollers included.',
    ),
  SCANNER_GECKOTERMINAL_URL: settings.baseUrl
    .optional()
    .describe(
      "Address of a source in GeckoTerminal's format, asked for lists, holders and risks; without it they are unknown.",
    ),
  SCANNER_GECKOTERMINAL_PER_MINUTE: settings
    .integer(30, 1, 60_000)
    .describe('Requests to it in a minute, over all processes that share a Redis.'),
  SCANNER_GECKOTERMINAL_KEY: settings.header
    .optional()
    .describe('A header with a key that goes with each request to it, as `name: value`.'),
  SCANNER_CHAINS: z
    .string()
    .regex(chainsForm, 'must be names of chains separated by commas, such as solana,base')
    .default('solana,ethereum,base,bsc')
    .describe('DexScreener’s names of the chains whose tokens are looked at.'),
  SCANNER_RULES: settings
    .checked(thresholdsFrom)
    .optional()
    .describe('Thresholds of the rules that make signals, as JSON; docs/figures.md has the defaults.'),
  SCANNER_LISTS_MS: settings
    .integer(60_000, 100, 3_600_000)
    .describe('Milliseconds from one look at a list to the next.'),
};

/** The settings of the scanner. */
export const readScannerConfig = reads({
  ...serverSettings(8089),
  ...gatewayKeys,
  ...tracingSettings,
  ...storeSettings,
  ...redisSettings,
  ...signalsAccess('signals:write'),
  ...sourceSettings,
  SCANNER_COOL_DOWN_HOURS: settings
    .integer(24, 1, 8_760)
    .describe('Hours in which a token gets one signal of a type.'),
  SCANNER_AGAIN_MS: settings
    .integer(300_000, 0, 86_400_000)
    .describe('Milliseconds before a token that was judged is judged again.'),
  SCANNER_LEASE_MS: settings
    .integer(30_000, 100, 600_000)
    .describe('Milliseconds that a scanner has to send a signal; then another one sends it.'),
});
export type ScannerConfig = ReturnType<typeof readScannerConfig>;

/** The settings of the operator command `record`. */
export const readRecordConfig = reads({ ...redisSettings, ...sourceSettings });
export type SourcesConfig = ReturnType<typeof readRecordConfig>;

/** Where the data is, for making its indexes. */
export const readStoreConfig = reads(storeSettings);

/** The rules' thresholds as the settings say, and the version of the rules with them. */
export function readRules({ SCANNER_RULES: text }: Pick<ScannerConfig, 'SCANNER_RULES'>) {
  const thresholds = text === undefined ? defaultThresholds : thresholdsFrom(text);
  const isPublished = JSON.stringify(thresholds) === JSON.stringify(defaultThresholds);
  return { thresholds, rule: isPublished ? 'v1' : 'v1-custom' };
}

const amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const thresholdsSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(defaultThresholds).map(([group, values]: [string, object]) => [
      group,
      z.strictObject(Object.fromEntries(Object.keys(values).map((name) => [name, amount]))),
    ]),
  ),
);

/** Thresholds from JSON such as `{"traps":{"min_liquidity_usd":5000}}`; what is absent has its default. @throws {Error} that says what is wrong. */
function thresholdsFrom(text: string): Thresholds {
  const given = z.record(z.string(), z.looseObject({})).safeParse(parseJson(text));
  if (!given.success) throw new Error('must be JSON with an object for each group of rules');
  const groups = Object.entries(defaultThresholds).map(([group, values]: [string, object]) => [
    group,
    { ...values, ...given.data[group] },
  ]);
  const { data, error } = thresholdsSchema.safeParse({ ...given.data, ...Object.fromEntries(groups) });
  if (error)
    throw new Error(
      `is wrong: ${error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
    );
  return data as unknown as Thresholds;
}
