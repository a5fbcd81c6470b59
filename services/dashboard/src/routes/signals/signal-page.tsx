import { ActionIcon, Group } from '@mantine/core';
import type { Signal } from '@sigcast/client';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useParams } from 'wouter';
import { useSignal } from '../../api/queries.ts';
import { BackLink } from '../../ui/back-link.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Json } from '../../ui/json.tsx';
import { Loaded, nameWithout } from '../../ui/loaded.tsx';
import { Page, Section, WithAside } from '../../ui/page.tsx';
import { InTheLog } from './in-the-log.tsx';
import { LiveSign } from './live-sign.tsx';
import { SignalDeliveries } from './signal-deliveries.tsx';
import { SignalEvents } from './signal-events.tsx';
import { Performance, TokenFacts } from './signal-figures.tsx';
import { SignalHistory } from './signal-history.tsx';
import styles from './signal-page.module.css';
import { typeWords } from './signal-words.ts';
import { StatusTag } from './status-tag.tsx';
import { useFollowedSignal } from './use-followed-signal.ts';
import { useWayBack } from './use-way-back.ts';
import { WhyThisSignal } from './why-this-signal.tsx';

/** One signal: its performance, its history and events, and their deliveries. */
export default function SignalPage() {
  const { id = '' } = useParams<{ id: string }>();
  const stream = useFollowedSignal(id);
  const live = stream.status === 'live';
  const signal = useSignal(id, { live });
  const { data } = signal;
  return (
    <Page
      title={data === undefined ? nameWithout(signal, 'signal') : `${data.token.symbol} · ${data.token.name}`}
      above={<WayBack id={id} />}
      description={data !== undefined && <Headline signal={data} />}
      actions={
        data !== undefined && (
          <>
            <CopyButton text={data.token.contract}>Copy contract</CopyButton>
            <LiveSign stream={stream} figuresAtMs={signal.dataUpdatedAt} />
          </>
        )
      }
    >
      <Loaded query={signal} list="signals" lines={8}>
        {(found) => (
          <WithAside
            leads
            first={<SignalHistory key={found.id} signal={found} live={live} />}
            aside={
              <>
                <Performance signal={found} live={live} />
                <TokenFacts signal={found} />
              </>
            }
          >
            <WhyThisSignal signal={found} />
            <InTheLog signal={found} />
            <SignalEvents id={found.id} />
            <SignalDeliveries id={found.id} />
            <AsJson signal={found} />
          </WithAside>
        )}
      </Loaded>
    </Page>
  );
}

/** A link to the list with the filters that it had, or without filters for somebody who comes from elsewhere; ways through it. */
function WayBack({ id }: { id: string }) {
  const { back, list, place, of, previous, next, j, k } = useWayBack(id);
  return (
    <div className={styles.ways}>
      <BackLink href={`/signals${list}`} onEscape={back}>
        Signals
      </BackLink>
      {place > 0 && (
        <>
          <span className={styles.place}>
            {place} of {of}
          </span>
          <Way name="Previous signal" keys="k" way={k} to={previous} Icon={IconChevronUp} />
          <Way name="Next signal" keys="j" way={j} to={next} Icon={IconChevronDown} />
        </>
      )}
    </div>
  );
}

function Way(props: {
  name: string;
  keys: string;
  way: () => void;
  to: string | undefined;
  Icon: typeof IconChevronUp;
}) {
  const { name, keys, way, to, Icon } = props;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={name}
      title={`${name} (${keys})`}
      disabled={to === undefined}
      onClick={way}
    >
      <Icon size={14} />
    </ActionIcon>
  );
}

function Headline({ signal }: { signal: Signal }) {
  return (
    <Group gap={6}>
      <StatusTag {...signal.performance} />
      <span>
        {typeWords[signal.type]}
        {signal.is_premium && signal.type !== 'premium' && ', premium'}, created{' '}
        <Instant at={signal.created_at} />
      </span>
    </Group>
  );
}

/** The signal as a program gets it. */
function AsJson({ signal }: { signal: Signal }) {
  const text = JSON.stringify(signal, null, 2);
  return (
    <Section
      title="JSON"
      description={
        <>
          The <code>data</code> field in the answer to <code>GET /v1/signals/{signal.id}</code>.
        </>
      }
      actions={<CopyButton text={text}>Copy JSON</CopyButton>}
    >
      <details className={styles.fold}>
        <summary>Show the JSON</summary>
        <Json text={text} className={styles.json} />
      </details>
    </Section>
  );
}
