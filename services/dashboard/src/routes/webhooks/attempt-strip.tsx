import type { Delivery } from '@sigcast/client';
import { deliveriesPerPage, everyDelivery } from '../../api/delivery-filter.ts';
import { useDeliveries } from '../../api/queries.ts';
import { milliseconds, plural } from '../../ui/format.ts';
import styles from './attempt-strip.module.css';
import { answerWords } from './health-words.ts';

/** Height in pixels, and the latency that fills it. */
const [height, fullMs] = [32, 5_000];
const [barWidth, step] = [5, 7];

/** The newest deliveries, the newest at the right: how long the last attempt of each took, and whether it succeeded. */
export function AttemptStrip({ webhookId }: { webhookId: string }) {
  // The log's own first page: while it is not filtered, this is no request more.
  const { data } = useDeliveries(webhookId, everyDelivery);
  const deliveries = data?.data.toReversed() ?? [];
  if (deliveries.length === 0) return null;
  const width = deliveriesPerPage * step;
  const left = width - deliveries.length * step;
  return (
    <svg
      className={styles.strip}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={wordsOf(deliveries)}
    >
      {deliveries.map(({ id, status, last_attempt: attempt }, at) => (
        <rect
          key={id}
          className={styles[!attempt ? 'pending' : attempt.outcome === 'succeeded' ? 'good' : 'bad']}
          x={left + at * step}
          width={barWidth}
          {...barOf(attempt?.duration_ms ?? 0)}
        >
          <title>{attempt ? `${answerWords(attempt)}, ${milliseconds(attempt.duration_ms)}` : status}</title>
        </rect>
      ))}
    </svg>
  );
}

/** On a logarithmic scale, as latencies are from a millisecond to seconds. */
function barOf(ms: number): { readonly y: number; readonly height: number } {
  const share = Math.log(1 + ms) / Math.log(1 + fullMs);
  const tall = Math.max(3, Math.round(Math.min(1, share) * height));
  return { y: height - tall, height: tall };
}

function wordsOf(deliveries: readonly Delivery[]): string {
  const good = deliveries.filter(({ last_attempt: attempt }) => attempt?.outcome === 'succeeded').length;
  return `The last attempts of the ${plural(deliveries.length, 'newest delivery', 'newest deliveries')}: ${good} succeeded`;
}
