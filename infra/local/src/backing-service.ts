import { Child, type ChildSpec } from './child-process.ts';

/** One store or broker that the system needs. */
export type BackingService = {
  readonly name: string;
  /** Its address; of the user that may do everything, where the service has users. */
  readonly url: string;
  /** Its address for one of the users in `store-users`; the same for all where the service has none. */
  readonly urlOf: (user: string) => string;
  /** Where the service comes from: its address was given, a Docker container, or Debian's packages. */
  readonly how: 'given' | 'docker' | 'debian';
  /** Whether the service was started here. Only then can it be stopped and started again. */
  readonly owned: boolean;
  /** Orderly shutdown; the data stays. */
  stop(): Promise<void>;
  /** Ends the service as a crash would; the data stays. */
  kill(): Promise<void>;
  /** Starts the service again on the same port and data; returns when it answers. */
  start(): Promise<void>;
  /** Calls `listener` with the reason whenever the service has ended without `stop` or `kill`. */
  onDeath(listener: (outcome: string) => void): void;
  /** Deletes the service's data. Call this only while the service is stopped. */
  removeData(): Promise<void>;
};

export type Name = 'mongo' | 'redis' | 'rabbitmq';

/** A process and a check whether it is ready. */
export type Step = {
  readonly spec: ChildSpec;
  readonly probe: () => Promise<boolean>;
  readonly readyTimeoutMs: number;
};

/** How long an orderly shutdown may take before the process is killed: all of `stop` stays below 8 s. */
const stopGraceMs = 6_000;

/** A service whose address was given: it is used, and never started or stopped. */
export function givenService(name: string, url: string): BackingService {
  const refuse = (verb: string) => async () => {
    throw new Error(`Cannot ${verb} ${name}: it was not started here, its address was given`);
  };
  return {
    name,
    url,
    urlOf: () => url,
    how: 'given',
    owned: false,
    stop: refuse('stop'),
    kill: refuse('kill'),
    start: refuse('start'),
    onDeath: () => undefined,
    removeData: refuse('remove the data of'),
  };
}

/** Runs one transition at a time: a stop during a start waits for the start. */
export function oneAtATime(): (action: () => Promise<void>) => () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (action) => () => {
    const next = last.then(action);
    last = next.catch(() => undefined);
    return next;
  };
}

/**
 * A service made of processes of this machine, started in order and stopped in reverse. `steps` is called at each start
 * and writes the files that the processes read.
 */
export function processService(options: {
  readonly name: string;
  readonly url: string;
  readonly steps: () => readonly Step[];
  readonly removeData: () => void;
  readonly signal?: AbortSignal | undefined;
}): BackingService {
  const { name, url, steps, removeData, signal } = options;
  let running: Child[] = [];
  const listeners: ((outcome: string) => void)[] = [];
  const exclusive = oneAtATime();
  const end = async (how: (child: Child) => Promise<void>) => {
    const ending = running.reverse();
    running = [];
    for (const child of ending) await how(child);
  };
  /** Tells the listeners when the first process ends by itself. A process that is ended on purpose is not in `running`. */
  const watch = (started: readonly Child[]) => {
    const first = Promise.race(started.map(async ({ spec, exited }) => `${spec.name}: ${await exited}`));
    void first.then((outcome) => {
      if (running === started) for (const listener of listeners) listener(outcome);
    });
  };
  return {
    name,
    url,
    urlOf: () => url,
    how: 'debian',
    owned: true,
    start: exclusive(async () => {
      if (running.length > 0 && running.every((child) => child.running)) return;
      await end((child) => child.stop(stopGraceMs));
      try {
        for (const step of steps()) {
          const child = Child.start(step.spec);
          running.push(child);
          await child.ready(step.probe, step.readyTimeoutMs, signal);
        }
        watch(running);
      } catch (error) {
        await end((child) => child.kill());
        throw error;
      }
    }),
    stop: exclusive(() => end((child) => child.stop(stopGraceMs))),
    kill: exclusive(() => end((child) => child.kill())),
    onDeath: (listener) => void listeners.push(listener),
    removeData: exclusive(async () => removeData()),
  };
}
