import type { Environment } from 'vitest/runtime';

/** Ends with the worker of the test runner: what its files share, and keep open from one to the next. */
export const worker = new AsyncDisposableStack();

/** The environment of the project `e2e`: Node's own, with an end. */
export default {
  name: 'worker',
  viteEnvironment: 'ssr',
  setup: () => ({ teardown: () => worker.disposeAsync() }),
} satisfies Environment;
