import { Anchor, Text, Title } from '@mantine/core';
import type { Origin, OriginRisks, Signal } from '@sigcast/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { mostTop10Share } from '../../api/signal-filter.ts';
import { thresholds } from '../../api/thresholds.ts';
import { Facts } from '../../ui/facts.tsx';
import { change, count, exactTime, exactUsd, limit } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Tag } from '../../ui/tag.tsx';
import { typeRules } from './rules-v1.ts';
import { useOrigin } from './signal-queries.ts';
import { typeWords } from './signal-words.ts';
import styles from './why-this-signal.module.css';

/** The rule and the figures that a signal rests on. */
export function WhyThisSignal({ signal }: { signal: Signal }) {
  const origin = useOrigin(signal.id);
  return (
    <Section title="Why this signal">
      <Loaded query={origin} lines={4}>
        {(found) =>
          found === null ? (
            <Text size="sm">The producer of this signal did not say what it rests on.</Text>
          ) : (
            <Reasons origin={found} signal={signal} />
          )
        }
      </Loaded>
    </Section>
  );
}

function Reasons({ origin, signal: { type } }: { origin: Origin; signal: Signal }) {
  const { rule, sources, observed_at, risks, unknown } = origin;
  return (
    <>
      <Text size="sm">
        {rule === 'v1' ? typeRules[type] : 'The thresholds are the operator’s own.'}{' '}
        <Anchor component={Link} href={`/definitions#type-${type}`} size="sm">
          {typeWords[type]} by the rules {rule}
        </Anchor>
      </Text>
      <ul className={styles.lists} aria-label="Lists that named the token">
        {sources.map((source) => (
          <li key={source}>
            <Tag tone="info">{listName(source)}</Tag>
          </li>
        ))}
      </ul>
      <div className={styles.parts}>
        <div>
          <Title order={3} size="h6">
            The hour before {exactTime(observed_at)}
          </Title>
          <Facts facts={figuresOf(origin, rule === 'v1')} />
        </div>
        <div>
          <Title order={3} size="h6">
            Risks
          </Title>
          <Facts facts={risksOf(risks)} />
        </div>
      </div>
      {unknown.length > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          No source knew: {unknown.map((member) => memberWords[member]).join(', ')}. Where this page shows 0,
          No or nothing for them, that means unknown.
        </Text>
      )}
    </>
  );
}

/** A figure with what the rules `v1` ask of it. */
function Figure({ value, asked }: { value: ReactNode; asked: string | null }) {
  return (
    <>
      {value}
      {asked !== null && <span className={styles.asked}>{asked}</span>}
    </>
  );
}

function figuresOf({ figures }: Origin, isPublished: boolean): [string, ReactNode][] {
  const { volume_1h, buys_1h, sells_1h, buyers_1h, change_1h } = figures;
  const { traps } = thresholds;
  const asked = (text: string) => (isPublished ? text : null);
  const trades = buys_1h === null || sells_1h === null ? null : buys_1h + sells_1h;
  const part = (of: number | null, whole: number | null) =>
    of === null || !whole ? '' : ` (${limit(Math.round((of / whole) * 100))})`;
  const known = (value: number | null, words: (value: number) => string) =>
    value === null ? 'Unknown' : words(value);
  return [
    ['Volume', known(volume_1h, exactUsd)],
    [
      'Trades',
      <Figure key="trades" value={known(trades, count)} asked={asked(`at least ${traps.min_trades_1h}`)} />,
    ],
    ['Buys', known(buys_1h, count)],
    [
      'Sells',
      <Figure
        key="sells"
        value={`${known(sells_1h, count)}${part(sells_1h, trades)}`}
        asked={asked(
          `${limit(traps.min_sells_share * 100)} to ${limit(traps.max_sells_share * 100)} of the trades`,
        )}
      />,
    ],
    ['Wallets that bought', `${known(buyers_1h, count)}${part(buyers_1h, buys_1h)}`],
    [
      'Price',
      <Figure
        key="price"
        value={known(change_1h, change)}
        asked={asked(`a rise of at most ${count(traps.max_rise_1h_percent)}%`)}
      />,
    ],
  ];
}

function risksOf({ top10_share, mintable, freezable, honeypot }: OriginRisks): [string, ReactNode][] {
  return [
    [
      'Held by the ten largest holders',
      top10_share === null ? (
        <Unknown />
      ) : (
        <Tag tone={top10_share > mostTop10Share ? 'bad' : 'good'}>{limit(Math.round(top10_share * 100))}</Tag>
      ),
    ],
    ['More can be minted', <Risk key="mint" is={mintable} />],
    ['Tokens can be frozen', <Risk key="freeze" is={freezable} />],
    ['Honeypot (buyers can’t sell)', <Risk key="honeypot" is={honeypot} />],
  ];
}

function Risk({ is }: { is: boolean | null }) {
  if (is === null) return <Unknown />;
  return <Tag tone={is ? 'bad' : 'good'}>{is ? 'Yes' : 'No'}</Tag>;
}

function Unknown() {
  return <Tag tone="neutral">Unknown</Tag>;
}

const memberWords: Readonly<Record<Origin['unknown'][number], string>> = {
  age_hours: 'the token’s age',
  dex_paid: 'whether a DEX listing was paid',
  holders: 'the number of holders',
  socials: 'links of the token',
  volume_24h: 'the volume of 24 hours',
};

const sourceWords: Readonly<Record<string, string>> = {
  dexscreener: 'DexScreener',
  geckoterminal: 'GeckoTerminal',
};

/** A list's name in words, such as “GeckoTerminal trending”. */
function listName(list: string): string {
  const [source = '', name = '', ...below] = list.split(':');
  return [`${sourceWords[source] ?? source} ${name.replaceAll(/[-_]/g, ' ')}`.trim(), ...below].join(', ');
}
