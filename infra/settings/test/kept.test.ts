import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gatewayIndexes } from '../../../services/gateway/src/store/models.ts';
import { signalsServiceIndexes } from '../../../services/signals/src/store/indexes.ts';
import { factIndexes, factsCollection } from '../../../services/stats/src/store/fact-document.ts';
import { trackerIndexes } from '../../../services/tracker/src/store/indexes.ts';
import { webhookIndexes } from '../../../services/webhooks/src/store/ensure-indexes.ts';

const architecture = readFileSync(new URL('../../../ARCHITECTURE.md', import.meta.url), 'utf8');
const day = 86_400;

/** What MongoDB removes by itself: by which field, how many seconds after it, and the period as ARCHITECTURE.md says it. */
const expected = [
  { collection: 'audit', by: 'at', afterS: 90 * day, said: '90 days' },
  { collection: 'backtest_trades', by: 'created_at', afterS: 30 * day, said: '30 days' },
  { collection: 'backtests', by: 'created_at', afterS: 30 * day, said: '30 days' },
  { collection: 'deliveries', by: 'created_at', afterS: 30 * day, said: '30 days' },
  { collection: 'events', by: 'created_at', afterS: 30 * day, said: '30 days' },
  { collection: 'invitations', by: 'expires_at', afterS: 0, said: '7 days' },
  { collection: 'mails', by: 'created_at', afterS: 30 * day, said: '30 days' },
  { collection: 'operator_log', by: 'at', afterS: 2 * 365 * day, said: 'two years' },
  { collection: 'relayed_events', by: 'relayed_at', afterS: day, said: 'a day' },
  { collection: 'requests', by: 'last', afterS: 7 * day, said: '7 days' },
  { collection: 'sessions', by: 'expires_at', afterS: 0, said: 'until they end' },
  { collection: 'usage', by: 'day', afterS: 91 * day, said: '90 days, and the day that is going on' },
  { collection: 'used_challenges', by: 'until', afterS: 0, said: 'until nobody can use them' },
];

it('MongoDB removes what it should remove after the time that ARCHITECTURE.md says, and nothing else', () => {
  // A list and not one object: collections of two services may have the same name.
  const all = [
    gatewayIndexes,
    signalsServiceIndexes,
    { [factsCollection]: factIndexes },
    webhookIndexes,
    trackerIndexes,
  ].flatMap((indexes) => Object.entries(indexes));
  const expiring = all.flatMap(([collection, indexes]) =>
    indexes.flatMap(({ key, expireAfterSeconds }) =>
      expireAfterSeconds === undefined
        ? []
        : [{ collection, by: Object.keys(key).join(), afterS: expireAfterSeconds }],
    ),
  );
  const inOrder = expiring.sort((one, other) => (one.collection < other.collection ? -1 : 1));
  expect(inOrder).toEqual(expected.map(({ said: _, ...index }) => index));

  const rows = architecture.split('\n').filter((line) => line.startsWith('| '));
  for (const { collection, by, said } of expected) {
    const isSaid = rows.some(
      (row) =>
        row.includes(`\`${collection}\``) && row.includes(said) && row.includes(`MongoDB, by \`${by}\``),
    );
    expect([collection, isSaid]).toEqual([collection, true]);
  }
});
