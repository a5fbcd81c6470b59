import { useInViewport } from '@mantine/hooks';
import { useHealth } from '../../api/queries.ts';
import { Tag } from '../../ui/tag.tsx';
import { healthOf } from './webhook-words.ts';

/**
 * How the newest deliveries of a subscription went. `live`: as fresh as its log. Otherwise asked for when it comes into
 * view: each is a request of its own.
 */
export function Health({ id, live = false }: { id: string; live?: boolean }) {
  const { ref, inViewport } = useInViewport<HTMLSpanElement>();
  const { data, isError } = useHealth(id, { live, enabled: live || inViewport });
  const said = isError ? unknown : data === undefined ? waiting : healthOf(data);
  return (
    <span ref={ref}>
      <Tag tone={said.tone}>{said.word}</Tag>
    </span>
  );
}

const unknown = { word: 'Unknown', tone: 'neutral' } as const;
const waiting = { word: '…', tone: 'neutral' } as const;
