import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();

/** Runs `work` as part of the request (or message) `id`, so that everything it logs carries that id. */
export function withRequestId<T>(id: string, work: () => T): T {
  return storage.run(id, work);
}

/** The id of the request being served, if any. */
export function currentRequestId(): string | undefined {
  return storage.getStore();
}
