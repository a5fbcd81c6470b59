import { type SignalType, signalTypes } from '@sigcast/contracts';

/** A signal to write, which receivers tell by its number. */
export function signalOf(number: number, type: SignalType) {
  return {
    token: {
      symbol: `T${number}`,
      name: String(number),
      contract: `0x${Math.abs(number).toString(16).padStart(40, '0')}`,
      age_hours: Math.abs(number % 1_000),
      dex_paid: number % 2 === 0,
      socials: { twitter: `https://x.com/t${number}` },
    },
    metrics: {
      mcap_entry: 100_000,
      mcap_current: 50_000 + Math.abs(number % 200_000),
      volume_24h: 50_000,
      holders: 321,
      liquidity: 20_000,
    },
    type,
    is_premium: number % 7 === 0,
  };
}

/** Lines of an import: signals of all types in turn, created evenly over the last `days` days. */
export function* signalLines(size: number, days: number): Generator<string> {
  const newest = Date.now() - 1_000;
  for (let index = 0; index < size; index += 1) {
    const ageMs = Math.floor((days * 86_400_000 * (size - index)) / size);
    const signal = signalOf(index, signalTypes[index % signalTypes.length] ?? 'new');
    yield `${JSON.stringify({ ...signal, created_at: new Date(newest - ageMs).toISOString() })}\n`;
  }
}
