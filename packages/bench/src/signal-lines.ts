import { signalTypes } from '@sigcast/contracts';

/** Lines of an import: numbers `from` to `to` of `size` signals, created evenly over the last `days` days. */
export function* signalLines(
  from: number,
  to: number,
  { size, days }: { readonly size: number; readonly days: number },
): Generator<string> {
  const spanMs = days * 24 * 3_600_000;
  const newest = Date.now() - 1_000;
  for (let index = from; index < to; index += 1) {
    const line = {
      token: {
        symbol: `T${index}`,
        name: `Token ${index}`,
        contract: `0x${index.toString(16).padStart(40, '0')}`,
        age_hours: index % 1_000,
        dex_paid: index % 2 === 0,
        socials: { twitter: `https://x.com/t${index}` },
      },
      metrics: {
        mcap_entry: 100_000,
        mcap_current: 50_000 + (index % 200_000),
        volume_24h: 50_000,
        holders: 321,
        liquidity: 20_000,
      },
      type: signalTypes[index % signalTypes.length],
      is_premium: index % 7 === 0,
      created_at: new Date(newest - Math.floor((spanMs * (size - index)) / size)).toISOString(),
    };
    yield `${JSON.stringify(line)}\n`;
  }
}
