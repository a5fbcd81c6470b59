// Made of the operations of packages/contracts by `npx pnpm@12 clients:generate`: do not edit.
/** A field that a filter can name. `values`: the texts that it may be; absent where any may. */
export type FilterField = {
  readonly kind: 'boolean' | 'choice' | 'instant' | 'list' | 'number' | 'text';
  readonly values?: readonly string[];
};

/** The fields of an event's `data` that a filter can name, by their paths. */
export const eventFilterFields: Readonly<Record<string, FilterField>> = {
  'id': { kind: 'text' },
  'token.symbol': { kind: 'text' },
  'token.name': { kind: 'text' },
  'token.contract': { kind: 'text' },
  'token.chain': { kind: 'text' },
  'token.age_hours': { kind: 'number' },
  'token.dex_paid': { kind: 'boolean' },
  'token.socials.twitter': { kind: 'text' },
  'token.socials.telegram': { kind: 'text' },
  'token.socials.website': { kind: 'text' },
  'metrics.mcap_entry': { kind: 'number' },
  'metrics.mcap_current': { kind: 'number' },
  'metrics.volume_24h': { kind: 'number' },
  'metrics.holders': { kind: 'number' },
  'metrics.liquidity': { kind: 'number' },
  'metrics.mcap_ath': { kind: 'number' },
  'performance.roi': { kind: 'number' },
  'performance.ath_roi': { kind: 'number' },
  'performance.status': { kind: 'choice', values: ['active', 'winner', 'dead', 'rugged'] },
  'performance.time_to_ath_hours': { kind: 'number' },
  'type': { kind: 'choice', values: ['new', '3d', '7d', '30d', 'wallet', 'premium'] },
  'is_premium': { kind: 'boolean' },
  'created_at': { kind: 'instant' },
};
