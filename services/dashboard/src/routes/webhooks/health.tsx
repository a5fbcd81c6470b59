import type { Delivery } from '@sigcast/contracts';
import { useHealth } from '../../api/queries.ts';
import { Tag } from '../../ui/tag.tsx';

/** How the newest deliveries of a subscription went. */
export function Health({ id }: { id: string }) {
  const { data, isError } = useHealth(id);
  if (isError) return <Tag tone="neutral">Unknown</Tag>;
  if (data === undefined) return <Tag tone="neutral">…</Tag>;
  const { tone, words } = healthOf(data);
  return <Tag tone={tone}>{words}</Tag>;
}

/** In words, from the newest deliveries; those still on their way say nothing yet. */
export function healthOf(deliveries: readonly Pick<Delivery, 'status'>[]) {
  const over = deliveries.filter(({ status }) => status !== 'pending');
  const failed = over.filter(({ status }) => status === 'failed').length;
  if (over.length === 0) return { tone: 'neutral', words: 'Nothing sent yet' } as const;
  if (failed === 0)
    return {
      tone: 'good',
      words: over.length === 1 ? 'Delivered' : `Last ${over.length} delivered`,
    } as const;
  return { tone: 'bad', words: `${failed} of ${over.length} failed` } as const;
}
