import { defineConfig } from 'vitest/config';

/** @param {string} name @param {object} [more] */
const project = (name, include, more = {}) => ({ extends: true, test: { name, include, ...more } });

export default defineConfig({
  test: {
    exclude: ['**/node_modules/**', '**/.local/**'],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate: false,
    maxWorkers: 2,
    execArgv: ['--conditions=sigcast-source'],
    testTimeout: 40_000,
    hookTimeout: 40_000,
    sequence: { hooks: 'list' },
    projects: [
      project('unit', ['**/test/**/!(*.int|*.e2e|*.cluster|*.containers).test.ts']),
      project('integration', ['**/test/**/*.int.test.ts'], { globalSetup: 'infra/local/src/test-setup.ts' }),
      project('e2e', ['**/test/**/*.e2e.test.ts'], { globalSetup: 'infra/local/src/test-setup.ts' }),
      project('clusters', ['**/test/**/*.cluster.test.ts']),
      project('containers', ['**/test/**/*.containers.test.ts']),
    ],
  },
});
