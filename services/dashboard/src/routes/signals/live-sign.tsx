import type { StreamStatus } from '../../api/use-events.ts';
import { Tag } from '../../ui/tag.tsx';

const words = {
  connecting: { tone: 'neutral', word: 'Connecting', more: 'Connecting to the event stream' },
  live: { tone: 'info', word: 'Live', more: 'New signals and status changes appear automatically' },
  off: {
    tone: 'neutral',
    word: 'Every 30 s',
    more: 'The event stream is not available. This page updates every 30 seconds.',
  },
} as const;

/** Shows whether the page follows events as they happen. */
export function LiveSign({ status }: { status: StreamStatus }) {
  const { tone, word, more } = words[status];
  return (
    <span role="status" title={more}>
      <Tag tone={tone}>{word}</Tag>
    </span>
  );
}
