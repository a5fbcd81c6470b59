import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { recorded } from '@sigcast/testing';
import { describe, expect, it } from 'vitest';
import { producer } from '../src/market/producer.ts';
import type { MarketMove, MarketSignal } from '../src/market/script.ts';

const id = 'sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z';
const signal: MarketSignal = {
  token: {
    ...{ symbol: 'NOVA', name: 'Nova', contract: '0x5f3a', age_hours: 3, dex_paid: true },
    socials: { twitter: '', website: '' },
  },
  metrics: { mcap_entry: 50_000, volume_24h: 1_000, holders: 120, liquidity: 9_000 },
  type: 'new',
  is_premium: false,
};
const move: MarketMove = {
  metrics: { mcap_current: 75_000, volume_24h: 1_500, holders: 130, liquidity: 11_000 },
  status: 'winner',
  observed_at: '2026-01-01T00:00:00.000Z',
};
const object = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const text = { type: 'string' };

/** The requests of a producer to the signals service, and everything that it reads of the answers. */
const expectations = [
  {
    ...{ asks: 'POST /internal/v1/signals', as: 'producer', sends: signal, gets: 201 },
    reads: object({ data: object({ id: text }) }),
  },
  {
    ...{ asks: 'POST /internal/v1/signals/observations', as: 'producer', gets: 200 },
    sends: { observations: [{ id: '{signal_id}', ...move }] },
    reads: object({ data: object({ errors: { type: 'array', items: object({ message: text }) } }) }),
  },
];

describe("the producer's record of what it needs from the signals service", () => {
  it('has its requests, and what it reads of the answers', () => {
    expect(recorded(new URL('../consumes/signals.json', import.meta.url), expectations)).toEqual(
      expectations,
    );
  });

  it('has every request that it makes, and answers with nothing more are enough for it', async () => {
    const asked: { asks: string; sends: unknown }[] = [];
    const server = createServer(async (req, res) => {
      const sends = JSON.parse((await textOf(req)).replace(id, '{signal_id}')) as unknown;
      asked.push({ asks: `${req.method} ${req.url}`, sends });
      res.end(JSON.stringify({ data: { id, errors: [] } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { create, observe } = producer(url, 'a producer');
      expect(await create(signal)).toBe(id);
      await observe([{ id, ...move }]);
    } finally {
      server.close();
    }
    expect(asked).toEqual(expectations.map(({ asks, sends }) => ({ asks, sends })));
  });
});
