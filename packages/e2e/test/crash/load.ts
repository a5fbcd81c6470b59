import { setTimeout as delay } from 'node:timers/promises';
import { newSignal, type TestSystem } from '../system.ts';

const types = ['new', '3d', '7d', '30d', 'wallet', 'premium'] as const;

/** A signal whose creation the service has confirmed, and whether it became a winner. */
export type Written = {
  readonly id: string;
  readonly type: string;
  readonly won: boolean;
  /** When the service confirmed the creation. */
  readonly atMs: number;
};

/** A producer that repeats each write until the service confirms it. */
export type Load = {
  readonly written: readonly Written[];
  /** Ends after the writes in progress. */
  stop(): Promise<void>;
};

/**
 * Starts writing `perSecond` signals, and pauses while `wanted` returns false. Three in ten become winners. Without pauses, a
 * system that is killed all the time would fall further and further behind.
 */
export function startLoad(
  system: TestSystem,
  options: {
    readonly perSecond: number;
    readonly random: () => number;
    readonly wanted: (written: readonly Written[]) => boolean;
  },
): Load {
  const { perSecond, random, wanted } = options;
  const written: Written[] = [];
  const inProgress = new Set<Promise<void>>();
  let stopping = false;

  const untilTaken = async (request: () => ReturnType<TestSystem['ingest']>): Promise<string> => {
    for (;;) {
      try {
        const { response, body } = await request();
        if (response.status < 300) return (body.data as { id: string }).id;
        if (response.status < 500) throw new Refused(JSON.stringify(body));
      } catch (error) {
        if (error instanceof Refused) throw error;
      }
      await delay(100);
    }
  };
  const writeOne = async (n: number, wins: boolean) => {
    const type = types[n % types.length] ?? 'new';
    const id = await untilTaken(() =>
      system.ingest('POST', '', newSignal(type), { 'idempotency-key': `load-${n}` }),
    );
    const atMs = Date.now();
    if (wins) await untilTaken(() => system.ingest('PATCH', `/${id}`, { status: 'winner' }));
    written.push({ id, type, won: wins, atMs });
  };
  const run = async () => {
    for (let n = 0; !stopping; n++) {
      while (!stopping && !wanted(written)) await delay(100);
      const work = writeOne(n, random() < 0.3).finally(() => inProgress.delete(work));
      inProgress.add(work);
      await delay(1_000 / perSecond);
    }
    await Promise.all(inProgress);
  };
  const running = run();
  // `stop` throws the error. Until then, an unhandled rejection must not end the process.
  running.catch(() => undefined);
  return {
    written,
    stop: async () => {
      stopping = true;
      await running;
    },
  };
}

/** The service refused a write for good, which is a bug. */
class Refused extends Error {
  override readonly name = 'Refused';
}
