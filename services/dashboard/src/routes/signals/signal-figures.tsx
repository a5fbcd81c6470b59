import { Anchor, Text } from '@mantine/core';
import type { Realizable, Signal, SignalListItem } from '@sigcast/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Facts } from '../../ui/facts.tsx';
import cards from '../../ui/figure-card.module.css';
import { FigureCard } from '../../ui/figure-card.tsx';
import { change, count, exactTime, hours } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { Usd } from '../../ui/usd.tsx';
import { explorersOf } from './explorers.ts';
import { Roi } from './roi.tsx';
import { useRealizable } from './signal-queries.ts';
import { exitWords } from './signal-words.ts';

/** What became of a signal, in four figures. Those that are not known yet are a dash. */
export function KeyFigures(props: {
  performance: Pick<Signal['performance'], 'roi' | 'ath_roi'>;
  hoursToPeak: number | undefined;
  realizable: Realizable | null | undefined;
}) {
  const { performance, hoursToPeak, realizable } = props;
  return (
    <div className={cards.cards}>
      <FigureCard name="ROI" value={<Roi percent={performance.roi} />} />
      <FigureCard name="Peak ROI" value={<Roi percent={performance.ath_roi} isPeak />} />
      <FigureCard
        name="Realizable ROI"
        value={realizable ? <Roi percent={realizable.roi} /> : '–'}
        note={realizableNote(realizable, performance.ath_roi)}
      />
      <FigureCard
        name="Time to peak"
        value={hoursToPeak === undefined || performance.ath_roi <= 0 ? '–' : hours(hoursToPeak)}
      />
    </div>
  );
}

/** Why nothing could be realized, or more than the peak has over the entry. */
function realizableNote(realizable: Realizable | null | undefined, peak: number): string | undefined {
  if (realizable === null) return 'Not bought by the rule';
  return realizable !== undefined && realizable.roi > peak ? 'Bought below the entry' : undefined;
}

/** The figures of a signal's performance. */
export function Performance({ signal, live }: { signal: Signal; live: boolean }) {
  const { metrics, performance } = signal;
  const { data: realizable } = useRealizable(signal.id, { live });
  return (
    <Section title="Performance">
      <KeyFigures
        performance={performance}
        hoursToPeak={performance.time_to_ath_hours}
        realizable={realizable}
      />
      <Facts facts={[...outcomeOf(signal), ['Exit by the rule', exitOf(realizable)], ...capFacts(metrics)]} />
      <Text size="xs" c="dimmed" mt="sm">
        At the peak, perhaps nobody could sell. Realizable ROI is what $100 would have earned after costs,
        bought and sold by a{' '}
        <Anchor component={Link} href="/definitions#realizable" size="xs">
          fixed rule
        </Anchor>
        .{' '}
        <Anchor component={Link} href="/definitions" size="xs">
          How figures are defined
        </Anchor>
      </Text>
    </Section>
  );
}

/** The token, and its market now. */
export function TokenFacts({ signal }: { signal: Signal }) {
  const { token } = signal;
  return (
    <Section title="Token">
      <Facts
        facts={[
          ...marketFacts(signal),
          ['DEX listing paid', token.dex_paid ? 'Yes' : 'No'],
          ...socials(token.socials),
          ['Created', exactTime(signal.created_at)],
          ['Last change', exactTime(signal.updated_at)],
        ]}
      />
      <LabelledCopyable text={token.contract} label="Contract address" />
      <Explorers token={token} />
      <LabelledCopyable text={signal.id} label="Signal id" />
    </Section>
  );
}

type Fact = [string, ReactNode];

/** The market caps of a signal. The peak is not known of a signal that a list has. */
export function capFacts(
  caps: Pick<Signal['metrics'], 'mcap_entry' | 'mcap_current'> & { readonly mcap_ath: number | undefined },
): Fact[] {
  const { mcap_entry: entry, mcap_current: now, mcap_ath: peak } = caps;
  return [
    ['Market cap at entry', <Usd key="entry" amount={entry} />],
    ['Market cap now', <Usd key="now" amount={now} />],
    ['Peak market cap', peak === undefined ? '–' : <Usd key="peak" amount={peak} />],
  ];
}

/** What else is known of a signal's market. */
export function marketFacts(signal: SignalListItem & { readonly updated_at?: string | undefined }): Fact[] {
  const { token, metrics, created_at, updated_at } = signal;
  // A producer need not know the volume when it makes the signal.
  const isUnknown = metrics.volume_24h === 0 && updated_at === created_at;
  return [
    ['Liquidity', <Usd key="liquidity" amount={metrics.liquidity} />],
    ['Volume, 24 h', isUnknown ? 'Not yet measured' : <Usd key="volume" amount={metrics.volume_24h} />],
    ['Holders', count(metrics.holders)],
    ['Age at signal', hours(token.age_hours)],
    ['Chain', token.chain || 'Unknown'],
  ];
}

/** What was decided, beside what became of it: a winner may have lost everything since. */
function outcomeOf({ performance: { status, roi } }: Signal): Fact[] {
  return status === 'winner' && roi < 0 ? [['Outcome', `Won, now ${change(roi)}`]] : [];
}

/** Whether the order was sold, and why; undefined while that is not known. */
function exitOf(realizable: Realizable | null | undefined): string {
  if (realizable === undefined) return '–';
  if (realizable === null) return 'No position';
  return realizable.exit === null ? 'Still open' : exitWords[realizable.exit];
}

/** Where the contract can be looked up. */
function Explorers({ token: { contract, chain } }: { token: Signal['token'] }) {
  const explorers = explorersOf(contract, chain);
  if (explorers.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="sm">
      {explorers.length === 1 ? 'Look it up on ' : 'Several chains use this form of address. Look it up on '}
      {explorers.map(({ chain, site, url }, at) => (
        <span key={chain}>
          {at > 0 && (at === explorers.length - 1 ? ' or ' : ', ')}
          <Anchor
            href={url}
            target="_blank"
            rel="noreferrer noopener"
            size="sm"
            title={`${site} (opens a new tab)`}
          >
            {chain}
          </Anchor>
        </span>
      ))}
      .
    </Text>
  );
}

function socials(links: Signal['token']['socials']): Fact[] {
  const names = { twitter: 'X', telegram: 'Telegram', website: 'Website' } as const;
  return (Object.keys(names) as (keyof typeof names)[]).flatMap((name) => {
    const url = links[name];
    // The makers of a token choose these addresses, so only those of the web become links.
    if (!/^https?:\/\//i.test(url)) return [];
    return [
      [
        names[name],
        <Anchor key={name} href={url} target="_blank" rel="noreferrer noopener nofollow" size="sm">
          {url.replace(/^https?:\/\//i, '')}
        </Anchor>,
      ],
    ];
  });
}
