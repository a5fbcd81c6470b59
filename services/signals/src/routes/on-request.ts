import type { ListSignalsQuery, ShownSignal } from '@sigcast/contracts';
import { type Signal, toOutcome } from '../domain/signal.ts';

/** The members of a signal that are shown where `include` asks for them. */
export function onRequest(
  signal: Signal,
  include: ListSignalsQuery['include'],
): Pick<ShownSignal, 'outcome' | 'realizable'> {
  return {
    ...(include?.includes('outcome') && { outcome: toOutcome(signal) }),
    ...(include?.includes('realizable') && { realizable: signal.realizable ?? null }),
  };
}
