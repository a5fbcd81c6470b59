import type { Delivery } from '@sigcast/client';
import { Instant } from '../../ui/instant.tsx';
import { Tag } from '../../ui/tag.tsx';
import { deliveryWord } from './webhook-words.ts';

/** The state of a delivery. */
export function DeliveryTag({ delivery }: { delivery: Pick<Delivery, 'status' | 'attempt_count'> }) {
  const { word, tone } = deliveryWord(delivery);
  return <Tag tone={tone}>{word}</Tag>;
}

/** When a delivery is attempted next. It is due for a moment, or for long where others go before it. */
export function NextAttempt({ at }: { at: string }) {
  if (Date.parse(at) <= Date.now()) return 'due';
  return (
    <>
      next <Instant at={at} />
    </>
  );
}
