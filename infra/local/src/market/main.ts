// The process of the simulated market: answers as DexScreener and GeckoTerminal do. Settings are below.
import { configOrExit, createLogger, readConfig, settings } from '@sigcast/runtime';
import { z } from 'zod';
import { makePast, nextSeed } from './past.ts';
import { producer } from './producer.ts';
import { marketServer } from './server.ts';
import { type Life, lives } from './token.ts';

const config = configOrExit(() =>
  readConfig(
    {
      HOST: settings.host,
      /** The port of the market's answers, in DexScreener's format. */
      PORT: settings.port(8087),
      SIGNALS_URL: settings.url('http:', 'https:'),
      INGEST_TOKEN: z.string().min(1),
      MARKET_SEED: settings.integer(1, 0, 2 ** 32 - 1),
      /** A file that counts the runs. Without it, no signals of the past are made, and the seed is MARKET_SEED. */
      MARKET_STATE_FILE: z.string().min(1).optional(),
      /** The time between the births of two tokens. */
      MARKET_INTERVAL_MS: settings.integer(4_000, 10, 3_600_000),
      /** How long tokens live. */
      MARKET_LIFE: z.enum(Object.keys(lives) as [Life, ...Life[]]).default('minutes'),
      /** Percent of the answers that are faults. */
      MARKET_FAULTS: settings.integer(5, 0, 100),
      LOG_LEVEL: settings.logLevel,
    },
    process.env,
  ),
);
const log = createLogger({ service: 'market', level: config.LOG_LEVEL });
process.on('SIGTERM', () => process.exit(0));
process.on('SIGINT', () => process.exit(0));

const stateFile = config.MARKET_STATE_FILE;
const seed = stateFile === undefined ? config.MARKET_SEED : nextSeed(stateFile);
const server = marketServer({
  seed,
  faults: config.MARKET_FAULTS / 100,
  intervalMs: config.MARKET_INTERVAL_MS,
  life: config.MARKET_LIFE,
});
server.listen(config.PORT, config.HOST, () => log.info({ port: config.PORT }, 'the market answers'));
if (stateFile !== undefined) {
  const market = producer(config.SIGNALS_URL, config.INGEST_TOKEN);
  await makePast(market, { stateFile, report: (line) => log.info(line) });
}
