import type { StreamStatus } from '../../api/use-events.ts';
import { Tag } from '../../ui/tag.tsx';
import styles from './signals.module.css';

const words = {
  connecting: { tone: 'neutral', word: 'Connecting', more: 'Looking for the stream of events' },
  live: { tone: 'good', word: 'Live', more: 'Signals and how they end appear by themselves' },
  off: { tone: 'neutral', word: 'Every 30 s', more: 'The stream of events is away; the page asks by itself' },
} as const;

/** Whether what is shown follows events as they happen. */
export function LiveSign({ status }: { status: StreamStatus }) {
  const { tone, word, more } = words[status];
  return (
    <span role="status" title={more}>
      <Tag tone={tone}>
        {status === 'live' && <span className={styles.dot} aria-hidden />}
        {word}
      </Tag>
    </span>
  );
}
