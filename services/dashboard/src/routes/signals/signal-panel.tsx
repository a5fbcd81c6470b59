import { Anchor, Drawer, Title } from '@mantine/core';
import type { SignalDetail } from '@sigcast/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSignal } from '../../api/queries.ts';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Facts } from '../../ui/facts.tsx';
import { count, exactTime, exactUsd, hours } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Tag } from '../../ui/tag.tsx';
import styles from './signal-panel.module.css';
import { Roi } from './signal-table.tsx';
import { statusWords, typeWords } from './signal-words.ts';

/** Everything that is known of one signal, beside the list. */
export function SignalPanel(props: { id: string | undefined; live: boolean; onClose: () => void }) {
  const { id, live, onClose } = props;
  const signal = useSignal(id, { live });
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      size="md"
      title={signal.data === undefined ? 'Signal' : `${signal.data.token.symbol} · ${signal.data.token.name}`}
    >
      <Loaded query={signal}>{(data) => <Details signal={data} />}</Loaded>
    </Drawer>
  );
}

function Details({ signal }: { signal: SignalDetail }) {
  const { token, metrics, performance } = signal;
  const status = statusWords[performance.status];
  return (
    <div className={styles.panel}>
      <div className={styles.tags}>
        <Tag tone={status.tone}>{status.word}</Tag>
        <Tag tone="neutral">{typeWords[signal.type]}</Tag>
        {signal.is_premium && <Tag tone="neutral">Premium</Tag>}
      </div>
      <Group
        title="Performance"
        more={
          <Anchor component={Link} href="/definitions" size="sm">
            How it is computed
          </Anchor>
        }
      >
        <Facts
          facts={[
            ['ROI', <Roi key="roi" percent={performance.roi} />],
            ['Highest ROI', <Roi key="ath" percent={performance.ath_roi} />],
            ['Time to highest', hours(performance.time_to_ath_hours)],
          ]}
        />
      </Group>
      <Group title="Market">
        <Facts
          facts={[
            ['Market cap at entry', exactUsd(metrics.mcap_entry)],
            ['Market cap now', exactUsd(metrics.mcap_current)],
            ['Highest market cap', exactUsd(metrics.mcap_ath)],
            ['Volume, 24 hours', exactUsd(metrics.volume_24h)],
            ['Liquidity', exactUsd(metrics.liquidity)],
            ['Holders', count(metrics.holders)],
          ]}
        />
      </Group>
      <Group title="Token">
        <Facts
          facts={[
            ['Age at the signal', hours(token.age_hours)],
            ['DEX listing paid', token.dex_paid ? 'Yes' : 'No'],
            ...socials(token.socials),
          ]}
        />
        <LabelledCopyable text={token.contract} label="Contract address" />
      </Group>
      <Group title="Signal">
        <Facts
          facts={[
            ['Made', exactTime(signal.created_at)],
            ['Last change', exactTime(signal.updated_at)],
          ]}
        />
        <LabelledCopyable text={signal.id} label="Identifier" />
      </Group>
    </div>
  );
}

function Group({ title, more, children }: { title: string; more?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <div className={styles.groupHeader}>
        <Title order={2} size="h6">
          {title}
        </Title>
        {more}
      </div>
      {children}
    </section>
  );
}

function socials(links: SignalDetail['token']['socials']): [string, ReactNode][] {
  const names = { twitter: 'X', telegram: 'Telegram', website: 'Website' } as const;
  return (Object.keys(names) as (keyof typeof names)[]).flatMap((name) => {
    const url = links[name];
    // What a token's makers published is theirs: only addresses of the web become links.
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
