import type { NewSignalRequest } from '@sigcast/contracts';
import { candidateKey } from '../domain/candidate.ts';
import type { MadeSignals } from '../domain/ports.ts';

/** Signals that are made in memory only: none is sent. */
export function memoryMadeSignals({
  coolDownMs,
  now,
  added = () => undefined,
}: {
  readonly coolDownMs: number;
  readonly now: () => Date;
  readonly added?: (request: NewSignalRequest) => void;
}): MadeSignals {
  const until = new Map<string, Map<NewSignalRequest['type'], number>>();
  const coolingDown = (key: string) =>
    new Set([...(until.get(key) ?? [])].flatMap(([type, endMs]) => (endMs > now().getTime() ? [type] : [])));
  return {
    coolingDown: (candidate) => Promise.resolve(coolingDown(candidateKey(candidate))),
    add: (candidate, request) => {
      const key = candidateKey(candidate);
      if (coolingDown(key).has(request.type)) return Promise.resolve(false);
      const own = until.get(key) ?? new Map<NewSignalRequest['type'], number>();
      until.set(key, own.set(request.type, now().getTime() + coolDownMs));
      added(request);
      return Promise.resolve(true);
    },
  };
}
