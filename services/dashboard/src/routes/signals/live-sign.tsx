import { useEffect, useState } from 'react';
import type { Stream } from '../../api/use-events.ts';
import { age } from '../../ui/format.ts';
import { Tag } from '../../ui/tag.tsx';
import styles from './live-sign.module.css';

const words = {
  connecting: { tone: 'neutral', word: 'Connecting', more: 'Connecting to the event stream.' },
  live: { tone: 'info', word: 'Live', more: 'New signals and status changes appear as they happen.' },
  off: {
    tone: 'neutral',
    word: 'Not live',
    more: 'The event stream is away. This page updates every 30 seconds.',
  },
} as const;

/**
 * Shows whether the page follows events as they happen: the time since the last one, or without the stream how old the figures
 * are. They change without an event as well, so their age is said when the sign is pointed at, too.
 */
export function LiveSign({ stream, figuresAtMs }: { stream: Stream; figuresAtMs: number }) {
  const [, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const { status, lastEventAt } = stream;
  const { tone, word, more } = words[status];
  const ageOf = (atMs: number | undefined) => (atMs ? age(Date.now() - atMs) : undefined);
  const figures = ageOf(figuresAtMs);
  const details = {
    connecting: undefined,
    live: ageOf(lastEventAt.current),
    off: figures && `figures ${figures} old`,
  };
  const detail = details[status];
  return (
    <span className={styles.sign} title={figures ? `${more} Figures are ${figures} old.` : more}>
      <span role="status">
        <Tag tone={tone}>{word}</Tag>
      </span>
      {detail !== undefined && <span className={styles.detail}> · {detail}</span>}
    </span>
  );
}
