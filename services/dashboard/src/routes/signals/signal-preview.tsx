import { Anchor, Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { SignalListItem } from '@sigcast/client';
import { Link } from 'wouter';
import { useSignal } from '../../api/queries.ts';
import { Instant } from '../../ui/instant.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { SignalTrace } from '../../ui/signal-trace.tsx';
import { changesIn, tracedOf } from './history-points.ts';
import { KeyFigures } from './signal-figures.tsx';
import { HistoryOf } from './signal-history.tsx';
import styles from './signal-preview.module.css';
import { useRealizable } from './signal-queries.ts';
import { typeWords } from './signal-words.ts';
import { StatusTag } from './status-tag.tsx';

/** Somebody who goes through the list by keyboard does not ask for every signal on the way. */
const restsMs = 250;
/** The list has the figures that change; what is asked for besides is asked for seldom. */
const seldom = { live: true };

/** The selected signal of a list, beside it. `search` is the query of the list. */
export function SignalPreview({ signal, search }: { signal: SignalListItem; search: string }) {
  const { id, token, type, performance, created_at } = signal;
  const [rested] = useDebouncedValue(signal, restsMs);
  const isRested = rested.id === id;
  const { data: detail } = useSignal(rested.id, seldom);
  const { data: realizable } = useRealizable(rested.id, seldom);
  return (
    <section className={styles.preview} aria-label="Preview">
      <div>
        <h3 className={styles.title}>
          <bdi>{token.symbol}</bdi> <bdi className={styles.name}>{token.name}</bdi>
        </h3>
        <p className={styles.facts}>
          <StatusTag {...performance} />
          <span>
            {typeWords[type]}, created <Instant at={created_at} />
          </span>
        </p>
      </div>
      <div className={styles.trace}>
        <Outdated busy={!isRested}>
          <HistoryOf key={rested.id} signal={rested} span="all" live lineHeight={60}>
            {(history) => (
              <SignalTrace traced={tracedOf(history, realizable)} flags={changesIn(history)} height={180} />
            )}
          </HistoryOf>
        </Outdated>
      </div>
      <KeyFigures
        performance={performance}
        hoursToHighest={isRested ? detail?.performance.time_to_ath_hours : undefined}
        realizable={isRested ? realizable : undefined}
      />
      <div className={styles.links}>
        <Link href={`/signals/${id}`} state={{ list: search }} asChild>
          <Button component="a" size="xs">
            Open signal
          </Button>
        </Link>
        <Anchor component={Link} href={`/definitions#type-${type}`} size="xs">
          Conditions of this type
        </Anchor>
      </div>
    </section>
  );
}
