import { setTimeout as delay } from 'node:timers/promises';
import { newSignal, type TestSystem } from '../system.ts';

const types = ['new', '3d', '7d', '30d', 'wallet', 'premium'] as const;

/** A signal that the service said it has, and whether it became a winner. */
export type Written = { readonly id: string; readonly type: string; readonly won: boolean };

/** A producer that keeps writing, and asks again until it is told that a write was taken. */
export type Load = {
  readonly written: readonly Written[];
  /** Ends after the writes under way. */
  stop(): Promise<void>;
};

/**
 * Starts writing `perSecond` signals, as long as `wanted` says so; three in ten become winners. What is being killed
 * all the time falls behind a producer that never waits, and a run would measure only the machine.
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
  const underWay = new Set<Promise<void>>();
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
    if (wins) await untilTaken(() => system.ingest('PATCH', `/${id}`, { status: 'winner' }));
    written.push({ id, type, won: wins });
  };
  const run = async () => {
    for (let n = 0; !stopping; n++) {
      while (!stopping && !wanted(written)) await delay(100);
      const work = writeOne(n, random() < 0.3).finally(() => underWay.delete(work));
      underWay.add(work);
      await delay(1_000 / perSecond);
    }
    await Promise.all(underWay);
  };
  const running = run();
  // Told where it is awaited; a refusal meanwhile must not end the process.
  running.catch(() => undefined);
  return {
    written,
    stop: async () => {
      stopping = true;
      await running;
    },
  };
}

/** A write that no repetition makes succeed: a bug. */
class Refused extends Error {
  override readonly name = 'Refused';
}
