import { Text } from '@mantine/core';
import type { RealizableStatistics } from '@sigcast/client';
import { FigureCard } from '../../ui/figure-card.tsx';
import { count, plural, share } from '../../ui/format.ts';
import { Roi } from './roi.tsx';

type Props = { readonly realizable: RealizableStatistics | undefined };

/** What orders by the exit rule earned with the signals of a period. */
export function RealizableCards({ realizable }: Props) {
  const none = !realizable?.signals;
  return (
    <>
      <FigureCard
        name="Realizable ROI"
        anchor="average-realizable-roi"
        value={none ? '–' : <Roi percent={realizable.avg_roi} />}
      />
      <FigureCard name="Profitable" anchor="profitable" value={none ? '–' : share(realizable.profitable)} />
    </>
  );
}

/** How these orders were sold. */
export function RealizableNote({ realizable }: Props) {
  return (
    <Text size="sm" c="dimmed" my="sm">
      {noteOf(realizable)}
    </Text>
  );
}

function noteOf(realizable: RealizableStatistics | undefined): string {
  if (realizable === undefined) return 'What a fixed rule earned with these signals is being counted.';
  const { signals, by_exit: exits } = realizable;
  if (signals === 0) return 'The exit rule had no position with these signals.';
  return (
    `${plural(signals, 'position')} of $100 by the exit rule: ${count(exits.target)} sold at the target, ` +
    `${count(exits.stop)} at the stop, ${count(exits.end)} when their time was over or the signal was dead or rugged. ${count(exits.open)} open.`
  );
}
