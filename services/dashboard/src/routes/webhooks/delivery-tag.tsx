import type { Delivery } from '@sigcast/client';
import { Tag } from '../../ui/tag.tsx';
import { deliveryWord } from './webhook-words.ts';

/** The state of a delivery. */
export function DeliveryTag({ delivery }: { delivery: Pick<Delivery, 'status' | 'attempt_count'> }) {
  const { word, tone } = deliveryWord(delivery);
  return <Tag tone={tone}>{word}</Tag>;
}
