import { Anchor, Text } from '@mantine/core';
import type { Realizable, Signal } from '@sigcast/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Facts } from '../../ui/facts.tsx';
import { count, exactTime, exactUsd, hours, usd } from '../../ui/format.ts';
import { Pair, Section } from '../../ui/page.tsx';
import { explorersOf } from './explorers.ts';
import cards from './figure-card.module.css';
import { FigureCard } from './figure-card.tsx';
import { Roi } from './roi.tsx';
import { useRealizable } from './signal-queries.ts';
import { exitWords } from './signal-words.ts';

/** The performance of a signal, the state of its market, and its token. */
export function SignalFigures({ signal, live }: { signal: Signal; live: boolean }) {
  const { token, metrics, performance } = signal;
  const { data: realizable } = useRealizable(signal.id, { live });
  return (
    <>
      <Section title="Performance" actions={<Definitions />}>
        <div className={cards.cards}>
          <FigureCard name="ROI" value={<Roi percent={performance.roi} />} />
          <FigureCard name="Highest ROI" value={<Roi percent={performance.ath_roi} />} />
          <FigureCard name="Realizable ROI" value={realizable ? <Roi percent={realizable.roi} /> : '–'} />
          <FigureCard name="Exit by the rule" value={exitOf(realizable)} />
          <FigureCard name="Time to highest" value={hours(performance.time_to_ath_hours)} />
          <FigureCard
            name="Market cap at entry"
            value={usd(metrics.mcap_entry)}
            exact={exactUsd(metrics.mcap_entry)}
          />
          <FigureCard
            name="Market cap now"
            value={usd(metrics.mcap_current)}
            exact={exactUsd(metrics.mcap_current)}
          />
          <FigureCard
            name="Highest market cap"
            value={usd(metrics.mcap_ath)}
            exact={exactUsd(metrics.mcap_ath)}
          />
        </div>
        <Text size="sm" c="dimmed" mt="sm">
          Highest ROI is a peak, at which perhaps nobody could sell. Realizable ROI is what $100 would have
          earned after costs, bought and sold by a{' '}
          <Anchor component={Link} href="/definitions#realizable" size="sm">
            fixed rule
          </Anchor>
          .
        </Text>
      </Section>
      <Pair>
        <Section title="Token">
          <Facts
            facts={[
              ['Chain', token.chain || 'Unknown'],
              ['Token age at signal', hours(token.age_hours)],
              ['DEX listing paid', token.dex_paid ? 'Yes' : 'No'],
              ...socials(token.socials),
            ]}
          />
          <LabelledCopyable text={token.contract} label="Contract address" />
          <Explorers contract={token.contract} />
        </Section>
        <Section title="Market and signal">
          <Facts
            facts={[
              ['Volume, 24 hours', exactUsd(metrics.volume_24h)],
              ['Liquidity', exactUsd(metrics.liquidity)],
              ['Holders', count(metrics.holders)],
              ['Created', exactTime(signal.created_at)],
              ['Last change', exactTime(signal.updated_at)],
            ]}
          />
          <LabelledCopyable text={signal.id} label="Identifier" />
        </Section>
      </Pair>
    </>
  );
}

/** Whether the order was sold, and why; undefined while that is not known. */
function exitOf(realizable: Realizable | null | undefined): string {
  if (realizable === undefined) return '–';
  if (realizable === null) return 'No position';
  return realizable.exit === null ? 'Still open' : exitWords[realizable.exit];
}

function Definitions() {
  return (
    <Anchor component={Link} href="/definitions" size="sm">
      How figures are defined
    </Anchor>
  );
}

/** Where the contract can be looked up. */
function Explorers({ contract }: { contract: string }) {
  const explorers = explorersOf(contract);
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

function socials(links: Signal['token']['socials']): [string, ReactNode][] {
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
