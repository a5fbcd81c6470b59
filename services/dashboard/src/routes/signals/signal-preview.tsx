import { Anchor, Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { SignalListItem } from '@sigcast/client';
import { Link } from 'wouter';
import { useSignal } from '../../api/queries.ts';
import { LabelledCopyable } from '../../ui/copyable.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { SignalTrace } from '../../ui/signal-trace.tsx';
import { changesIn, tracedOf } from './history-points.ts';
import { capFacts, KeyFigures, marketFacts } from './signal-figures.tsx';
import { HistoryOf } from './signal-history.tsx';
import styles from './signal-preview.module.css';
import { useRealizable } from './signal-queries.ts';
import { typeWords } from './signal-words.ts';
import { StatusTag } from './status-tag.tsx';
import type { FromList } from './use-way-back.ts';

/** Somebody who goes through the list by keyboard does not ask for every signal on the way. */
const restsMs = 250;
/** The list has the figures that change; what is asked for besides is asked for seldom. */
const seldom = { live: true };

/** With fewer, a trace would be a flat line. */
const leastPoints = 3;

/** The selected signal of a list, beside it. */
export function SignalPreview({ signal, from }: { signal: SignalListItem; from: FromList }) {
  const { id, token, type, performance, created_at } = signal;
  const [rested] = useDebouncedValue(signal, restsMs);
  const isRested = rested.id === id;
  const { data: detail } = useSignal(rested.id, seldom);
  const { data: realizable } = useRealizable(rested.id, seldom);
  return (
    <section className={styles.preview} aria-label="Preview">
      <header className={styles.header}>
        <div className={styles.words}>
          <h3 className={styles.title}>
            <bdi>{token.symbol}</bdi> <bdi className={styles.name}>{token.name}</bdi>
          </h3>
          <p className={styles.facts}>
            <StatusTag {...performance} />
            <span>
              <Anchor component={Link} href={`/definitions#type-${type}`} size="xs">
                {typeWords[type]}
              </Anchor>
              , created <Instant at={created_at} />
            </span>
          </p>
        </div>
        <Link href={`/signals/${id}`} state={from} asChild>
          <Button component="a" size="xs" variant="default">
            Open signal
          </Button>
        </Link>
      </header>
      <div className={styles.trace}>
        <Outdated busy={!isRested}>
          <HistoryOf key={rested.id} signal={rested} span="all" live lineHeight={60}>
            {(history) =>
              history.buckets.length < leastPoints ? (
                <Empty title="No price history yet">The chart begins with the third observation.</Empty>
              ) : (
                <SignalTrace traced={tracedOf(history, realizable)} flags={changesIn(history)} height={180} />
              )
            }
          </HistoryOf>
        </Outdated>
      </div>
      <KeyFigures
        performance={performance}
        hoursToPeak={isRested ? detail?.performance.time_to_ath_hours : undefined}
        realizable={isRested ? realizable : undefined}
      />
      <Facts
        facts={[
          ...capFacts({ ...signal.metrics, mcap_ath: isRested ? detail?.metrics.mcap_ath : undefined }),
          ...marketFacts({ ...signal, updated_at: isRested ? detail?.updated_at : undefined }),
        ]}
      />
      <LabelledCopyable text={token.contract} label="Contract address" />
    </section>
  );
}
