import type { SignalStatus, SignalType } from '@sigcast/contracts';
import type { TestSystem } from '../system.ts';

const names = [
  ...['Amber Wave', 'Birch Grove', 'Cedar Peak', 'Delta River', 'Ember Stone', 'Fjord Isle', 'Glint Field'],
  ...['Halo Crest', 'Indigo Bay', 'Juniper Vale', 'Kite Trail', 'Lumen Arc', 'Maple Leaf', 'Nova Mint'],
];
const types: readonly SignalType[] = ['new', '3d', '7d', '30d', 'wallet', 'premium'];
/** Statuses of signals, each with the market cap as a multiple of that at entry. */
const ends: readonly (readonly [SignalStatus, number])[] = [
  ['active', 1.37],
  ['winner', 8.4213],
  ['dead', 0.213],
  ['active', 0.87],
  ['rugged', 0.0042],
  ['winner', 3.21],
  ['winner', 46.9],
];

let contracts = 0;

/**
 * Creates `count` signals of every type and status, one for every seven hours back from now, leaving out the `newest` of these
 * hours. @returns the contract of the last one, which no other signal has.
 */
export async function makeSignals(system: TestSystem, count: number, { newest = 0 } = {}): Promise<string> {
  let contract = '';
  for (let at = newest + count - 1; at >= newest; at -= 1) {
    const name = names[at % names.length] ?? '';
    const handle = name.replace(' ', '').toLowerCase();
    const [status, factor] = ends[at % ends.length] ?? ['active', 1];
    contracts += 1;
    contract = `0xc0${contracts.toString(16).padStart(38, '0')}`;
    const entry = 38_500 + ((at * 7_919) % 900_000);
    const { body } = await system.ingest('POST', '', {
      token: {
        symbol: name.replace(' ', '').slice(0, 5).toUpperCase(),
        name,
        contract,
        age_hours: 0.4 + at * 3.7,
        dex_paid: at % 3 === 0,
        socials: {
          twitter: `https://x.com/${handle}`,
          website: `https://${handle}.example`,
        },
      },
      metrics: { mcap_entry: entry, volume_24h: entry * 1.3, holders: 90 + at * 37, liquidity: entry * 0.21 },
      type: types[at % types.length],
      is_premium: at % 6 === 5,
      created_at: new Date(Date.now() - at * 7 * 3_600_000 - 60_000).toISOString(),
    });
    const { id } = body.data as { id: string };
    const change = {
      metrics: { mcap_current: Math.round(entry * factor) },
      ...(status !== 'active' && { status }),
    };
    const patched = await system.ingest('PATCH', `/${id}`, change);
    if (patched.response.status !== 200) throw new Error(JSON.stringify(patched.body));
  }
  return contract;
}
