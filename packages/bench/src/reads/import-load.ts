import { Readable } from 'node:stream';
import type { FilledSystem } from '../filled-system.ts';
import { signalLines } from '../signal-lines.ts';

/** An import that goes on until it is ended. */
export type ImportLoad = {
  /** Ends the import. @returns how many signals it created. @throws when a line was refused. */
  end(): Promise<number>;
};

/** Starts an import of signals that are created evenly over `days` days, as fast as the service takes them. */
export function startImport({ system, token, size }: FilledSystem, days: number): ImportLoad {
  let ended = false;
  function* lines() {
    for (const line of signalLines(0, size, { size, days })) {
      if (ended) return;
      yield line;
    }
  }
  const answer = fetch(`${system.signalsUrl}/internal/v1/signals/import`, {
    method: 'POST',
    duplex: 'half',
    body: Readable.from(lines()),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
  } as RequestInit);
  answer.catch(() => undefined); // thrown by `end`
  return {
    end: async () => {
      ended = true;
      const { data } = (await (await answer).json()) as { data: { created: number; received: number } };
      if (data.created < data.received) throw new Error(`lines were refused: ${JSON.stringify(data)}`);
      return data.created;
    },
  };
}
