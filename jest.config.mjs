// Tests run as ES modules (NODE_OPTIONS=--experimental-vm-modules). `unit` needs nothing but Node;
// `integration` (*.int.test.ts) and `e2e` (*.e2e.test.ts) have real backing services, started if none run. `test` runs
// the first two, `test:e2e` the third: whole systems, killed processes, models at full size.
// `releases` (*.release.test.ts) is what users install and what a rollout does: `npx pnpm@12 test:releases`.
// `clusters` (*.cluster.test.ts) has several nodes of a store, or two replicas of every service, which need the machine to
// themselves: one file at a time, by `npx pnpm@12 test:clusters`. They run in jest's own process, which is told to exit
// (`--forceExit`): without that, Node's clean-up may wait for ever for a request to a node that was killed (seen in Node 24:
// `Environment::CleanupHandles` at 100 % of a core).
// `containers` (*.containers.test.ts) builds and runs docker-compose.yml: `npx pnpm@12 test:containers`.
const base = {
  testEnvironment: 'node',
  // The client's own sources; what is packed of it has a test of its own.
  testEnvironmentOptions: { customExportConditions: ['sigcast-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          ...{ parser: { syntax: 'typescript' }, target: 'es2024' },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  testPathIgnorePatterns: ['/node_modules/', '/.local/'],
  modulePathIgnorePatterns: ['/.local/'],
};

const withBackingServices = {
  globalSetup: './infra/local/jest-global-setup.mjs',
  globalTeardown: './infra/local/jest-global-teardown.mjs',
};

export default {
  // Each file of `test:e2e` starts a whole system, so as many at once as a small machine has cores. `test` alone has three
  // (--maxWorkers): most of its files wait for stores and processes, and it takes three quarters of its time with two.
  maxWorkers: 2,
  // A bound for what hangs; nothing waits for it. Conditions that don't come true fail before, with their reason.
  testTimeout: 40_000,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['**/test/**/!(*.int|*.e2e|*.release|*.cluster|*.containers).test.ts'],
    },
    { ...base, ...withBackingServices, displayName: 'integration', testMatch: ['**/test/**/*.int.test.ts'] },
    { ...base, ...withBackingServices, displayName: 'e2e', testMatch: ['**/test/**/*.e2e.test.ts'] },
    { ...base, ...withBackingServices, displayName: 'releases', testMatch: ['**/test/**/*.release.test.ts'] },
    { ...base, displayName: 'clusters', testMatch: ['**/test/**/*.cluster.test.ts'] },
    { ...base, displayName: 'containers', testMatch: ['**/test/**/*.containers.test.ts'] },
  ],
};
