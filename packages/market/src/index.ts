export { isAddress } from './address.ts';
export { chainOf, networkOf } from './chains.ts';
export {
  dexScreenerPools,
  hasPaidProfile,
  type ListedToken,
  listedTokens,
  mayBeCut,
  tokensPerRequest,
} from './dexscreener.ts';
export {
  geckoTerminalHeaders,
  geckoTerminalPools,
  geckoTerminalTokens,
  type TokenFacts,
  tokenFacts,
} from './geckoterminal.ts';
export { type LimitedSource, limitedSource } from './limited-source.ts';
export { type Permits, redisPermits } from './permits.ts';
export { mostLiquidFirst, type Pool, type Span, spans, type TokenLinks, type Trades } from './pool.ts';
export { httpSource, type Source, type SourceAnswer, type SourceFailure } from './source.ts';
