// The boundaries of ARCHITECTURE.md as rules: `check` fails when one is crossed.
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'packages-know-no-service',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^services/' },
    },
    {
      name: 'services-know-no-service',
      comment: 'Services meet in packages/contracts and on the wire only.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'no-relative-path-into-a-package',
      comment: 'A package is used by its name, through its index.',
      severity: 'error',
      from: { path: '^(clients|packages|services|infra)/([^/]+)/' },
      to: {
        path: '^(clients|packages|infra)/',
        // The index of `look` runs in browsers, and `files` only in Node.
        pathNot: ['^$1/$2/', '/src/index\\.ts$', '^packages/look/src/(files\\.ts|[a-z]+\\.css)$'],
      },
    },
    {
      name: 'domain-is-pure',
      comment: 'Rules and ports only: no I/O, no framework. Hashes, checksums and networks are pure.',
      severity: 'error',
      from: { path: '^services/[^/]+/src/domain/' },
      to: {
        pathNot: [
          '^services/[^/]+/src/domain/',
          '^packages/(contracts|outcomes|statistics|tlog)/',
          '^(node:)?(crypto|zlib)$',
          '/ipaddr\\.js/',
        ],
      },
    },
    {
      name: 'routes-and-consumers-know-no-store',
      severity: 'error',
      from: { path: '^services/[^/]+/src/(routes|consumers)/' },
      to: { path: '^services/[^/]+/src/store/' },
    },
    {
      name: 'store-knows-no-route',
      severity: 'error',
      from: { path: '^services/[^/]+/src/store/' },
      to: { path: '^services/[^/]+/src/(routes|consumers)/' },
    },
    {
      name: 'only-tests-use-testing',
      severity: 'error',
      from: { path: '/src/', pathNot: '^packages/(testing|bench)/' },
      to: { path: '^packages/testing/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'It runs in browsers and is published without the rest: no package, no Node module.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: '^packages/client/src/cli/' },
      to: { pathNot: '^packages/client/src/' },
    },
    {
      name: 'client-knows-no-command-line',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: '^packages/client/src/cli/' },
      to: { path: '^packages/client/src/cli/' },
    },
    {
      name: 'command-line-stands-alone',
      comment: 'It is published with the client: Node itself, and nothing else.',
      severity: 'error',
      from: { path: '^packages/client/src/cli/' },
      to: { pathNot: '^packages/client/src/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'only-telemetry-knows-opentelemetry',
      comment: 'Spans are made by functions that cost nothing while nothing is traced.',
      severity: 'error',
      from: { pathNot: '^packages/telemetry/' },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(\\.local|dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['sigcast-source', 'import', 'node', 'default', 'types'],
    },
  },
};
