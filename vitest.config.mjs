import { defineConfig } from 'vitest/config';

const project = (name, include, more = {}) => ({ extends: true, test: { name, include, ...more } });

/** Real stores and a broker, started if none run, and shared by all files. */
const withBackingServices = { globalSetup: 'infra/local/src/test-setup.ts' };

// `unit` needs nothing but Node. `test` runs it and `integration`, `test:e2e` the third: whole systems, killed processes,
// models. `releases` is what users install and what a rollout does. `clusters` has several nodes of a store, or
// two replicas of every service, which need the machine to themselves: one file at a time. `containers` builds and runs
// docker-compose.yml.
export default defineConfig({
  test: {
    projects: [
      project('unit', ['**/test/**/!(*.int|*.e2e|*.release|*.cluster|*.containers).test.ts']),
      project('integration', ['**/test/**/*.int.test.ts'], withBackingServices),
      project('e2e', ['**/test/**/*.e2e.test.ts'], {
        ...withBackingServices,
        environment: './packages/e2e/test/worker.ts',
        // A whole system starts in the first, and a test may be a long journey through it.
        hookTimeout: 240_000,
        testTimeout: 180_000,
      }),
      project('releases', ['**/test/**/*.release.test.ts'], withBackingServices),
      project('clusters', ['**/test/**/*.cluster.test.ts']),
      project('containers', ['**/test/**/*.containers.test.ts']),
    ],
    exclude: ['**/node_modules/**', '**/.local/**'],
    // Node itself loads the modules and strips their types, as it does in production; each once a worker, for all its files.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The client's own sources; what is packed of it has a test of its own.
    execArgv: ['--conditions=sigcast-source'],
    // Each file of `test:e2e` starts a whole system, so as many at once as a small machine has cores. `test` alone has three
    // (--maxWorkers): most of its files wait for stores and processes.
    maxWorkers: 2,
    // Bounds for what hangs; nothing waits for them. Conditions that don't come true fail before, with their reason.
    testTimeout: 40_000,
    hookTimeout: 40_000,
    teardownTimeout: 40_000,
    sequence: { hooks: 'list' },
    slowTestThreshold: 5_000,
  },
});
