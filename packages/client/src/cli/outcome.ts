import type { Webhooks } from '../generated/calls.ts';
import type { DeliveryDetail } from '../generated/types.ts';
import { pause } from '../wait.ts';
import type { Io } from './command.ts';
import { exits } from './exits.ts';

/** The pause before each request for the delivery, in milliseconds: five requests in ten seconds at most. */
const pausesMs = [500, 1_000, 2_000, 3_000, 4_000];

/** Waits up to ten seconds for a delivery's attempt and returns the delivery. */
export async function outcomeOf(
  webhooks: Webhooks,
  webhookId: string,
  begun: DeliveryDetail,
): Promise<DeliveryDetail> {
  let delivery = begun;
  for (const ms of pausesMs) {
    if (delivery.status !== 'pending') break;
    await pause(ms);
    delivery = (await webhooks.delivery(webhookId, begun.id)).data;
  }
  return delivery;
}

/** Prints how the last attempt went. @returns the exit status. */
export function printOutcome(
  delivery: DeliveryDetail,
  { json, io }: { readonly json: boolean; readonly io: Io },
): number {
  const { id, status, attempts } = delivery;
  const last = attempts.at(-1);
  if (json) io.print(JSON.stringify(delivery));
  else if (status === 'delivered') io.print(`Delivered ${id} in ${Math.round(last?.duration_ms ?? 0)} ms`);
  else if (status === 'failed') io.print(`Failed ${id}: ${last?.error ?? 'no attempt was made'}`);
  else io.print(`Not attempted yet: sigcast deliveries get ${id}`);
  return status === 'failed' ? exits.failed : exits.done;
}
