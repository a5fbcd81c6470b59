import { eventTopology } from '@sigcast/contracts';
import type { Channel } from 'amqplib';
import { expect, it } from 'vitest';
import { eventDeclarations } from '../src/index.ts';

it('a queue that is there is not declared again: deleted a moment later, it would come back without its loss being noted', async () => {
  const { stats } = eventTopology('');
  const declared: string[] = [];
  const channel = {
    assertExchange: async () => undefined,
    assertQueue: async (name: string) => void declared.push(name),
    bindQueue: async () => undefined,
  } as unknown as Channel;
  const noted: string[] = [];
  const [declare] = eventDeclarations(eventTopology(''), async (queue) => void noted.push(queue));
  await declare?.(channel);
  expect([declared, noted]).toEqual([[stats.parked], []]);
  await declare?.(channel, new Date());
  expect([declared.slice(1), noted]).toEqual([[stats.parked, stats.queue], [stats.queue]]);
});
