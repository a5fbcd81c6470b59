import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignalType } from '@sigcast/contracts';
import { buildDashboard, type System, type SystemOptions, startSystem } from '@sigcast/local';
import { apiChecker, startChatProviders, type TestStack, testStack } from '@sigcast/testing';
import { worker } from './worker.ts';

/** The whole system as processes, with an account's key and a producer's token. */
export type TestSystem = System & {
  readonly stack: TestStack;
  readonly apiKey: string;
  readonly ingestToken: string;
  /** Everything that its processes have logged so far. */
  logs(): string;
  /** A request as a client makes it; the parsed body beside the response. */
  api(path: string, init?: RequestInit): Promise<{ response: Response; body: ApiBody }>;
  /** Creates a signal as a producer does, with some members of its token changed. @returns its id. @throws when it is refused. */
  createSignal(type?: SignalType, token?: object): Promise<string>;
  /** A request as a producer makes it. */
  ingest(
    method: string,
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ response: Response; body: ApiBody }>;
};

/** An answer's envelope, with members that tests read. */
export type ApiBody = {
  success: boolean;
  data?: unknown;
  meta?: { total: number };
  error?: { code: string; message: string };
};

/**
 * Starts the processes on stores of their own. `overrides` are further settings of all of them; `sourcesOf` returns the folder
 * that a process runs from.
 */
export async function testSystem(
  overrides: Readonly<Record<string, string>> = {},
  stack = testStack(),
  sourcesOf?: SystemOptions['sourcesOf'],
): Promise<TestSystem> {
  for (const name of ['gateway', 'signals', 'stats', 'webhooks', 'tracker']) stack.database(name);
  const dataDir = mkdtempSync(join(tmpdir(), 'sigcast-e2e-'));
  const system = await startSystem({
    stores: stack,
    dataDir,
    overrides,
    report: () => undefined,
    ...(sourcesOf && { sourcesOf }),
  });
  return withAccess(system, stack, await openAccess(system), async () => {
    await system.stop();
    await stack[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true, force: true });
  });
}

/** The system that the files of this worker share, once one of them has asked for it. */
let shared: Promise<TestSystem> | undefined;
let users = 0;

/**
 * The system that the files of a worker share, with an account and a producer of the file's own. It starts with the first file
 * that asks for it, and ends with the worker; `stop` deletes only the account, and so its webhooks.
 *
 * The files of a worker run one after another. So a file may kill processes and start them again, but it finds signals, counted
 * signals and events of earlier files. It also serves the dashboard, and takes a client's address from X-Forwarded-For.
 */
export async function sharedSystem(): Promise<TestSystem> {
  shared ??= startShared();
  const { stack, ...system } = await shared;
  // A file that failed may have left a process killed.
  const ended = Object.values(system.processes).filter(({ pid }) => pid === undefined);
  await Promise.all(ended.map((process) => process.start()));
  const access = await openAccess(system, `e2e-${++users}`);
  return withAccess(system, stack, access, async () => {
    await system.operator('account', 'delete', access.email, '--email', access.email);
  });
}

async function startShared(): Promise<TestSystem> {
  const logFile = join(tmpdir(), `sigcast-dashboard-${process.pid}.log`);
  const dashboard = await buildDashboard({ logFile, report: () => undefined });
  // As many retries as by default, with short pauses.
  const chats = worker.use(await startChatProviders());
  const settings = {
    DASHBOARD_DIR: dashboard,
    TRUST_PROXY: 'true',
    WEBHOOK_RETRY_DELAYS_MS: '300,400,500',
    WEBHOOK_CHATS_URL: chats.url,
  };
  return worker.use(await testSystem(settings));
}

type Access = { readonly email: string; readonly apiKey: string; readonly ingestToken: string };

function withAccess(
  system: System,
  stack: TestStack,
  { apiKey, ingestToken }: Access,
  stop: () => Promise<void>,
): TestSystem {
  const ingest: TestSystem['ingest'] = (method, path, body, headers = {}) =>
    call(`${system.signalsUrl}/internal/v1/signals${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ingestToken}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  return {
    ...system,
    stack,
    apiKey,
    ingestToken,
    ingest,
    createSignal: async (type, token) => {
      const signal = newSignal(type);
      const content = { ...signal, token: { ...signal.token, ...token } };
      const { response, body } = await ingest('POST', '', content);
      if (response.status !== 201) throw new Error(`no signal was created: ${JSON.stringify(body)}`);
      return (body.data as { id: string }).id;
    },
    logs: () =>
      Object.values(system.processes)
        .map(({ logFile }) => readFileSync(logFile, 'utf8'))
        .join(''),
    api: (path, init = {}) =>
      callApi(`${system.gatewayUrl}${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(init.body ? { 'content-type': 'application/json' } : {}),
          ...init.headers,
        },
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Makes an account's key and a producer's token. The limits of the key are so high that tests can poll. */
export async function openAccess(system: Pick<System, 'operator'>, name = 'e2e'): Promise<Access> {
  const email = `${name}@sigcast.test`;
  await system.operator('plan', 'set', 'unlimited', '--per-minute', '1000000', '--per-day', '1000000');
  await system.operator('account', 'create', '--email', email, '--plan', 'unlimited');
  const key = await system.operator<{ key: string }>('key', 'create', '--account', email, '--name', name);
  const token = await system.operator<{ token: string }>(
    ...['token', 'create', '--subject', name, '--scope', 'signals:write'],
  );
  return { email, apiKey: key.key, ingestToken: token.token };
}

async function call(url: string, init: RequestInit): Promise<{ response: Response; body: ApiBody }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(15_000), ...init });
  return { response, body: (await response.json()) as ApiBody };
}

const check = apiChecker();

/** Sends a request. @throws when the answer differs from the API document. */
async function callApi(url: string, init: RequestInit): Promise<{ response: Response; body: ApiBody }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(15_000), ...init });
  const { pathname: path } = new URL(url);
  const [method, text] = [init.method ?? 'GET', await response.text()];
  const problems = check({ method, path, body: text, status: response.status, headers: response.headers });
  if (problems.length > 0) throw new Error(`${method} ${path}: ${problems.join('; ')}\n${text}`);
  return { response, body: JSON.parse(text) as ApiBody };
}

/** A signal as a producer sends it. */
export function newSignal(type: SignalType = 'new') {
  return {
    token: {
      symbol: 'NOVA',
      name: 'Nova',
      contract: '0x0000000000000000000000000000000000000001',
      age_hours: 12.5,
      dex_paid: true,
      socials: { twitter: 'https://x.com/nova' },
    },
    metrics: { mcap_entry: 100_000, volume_24h: 50_000, holders: 321, liquidity: 20_000 },
    type,
    is_premium: false,
  };
}

/** A token of a producer that may decide what became of signals, like the tracker's poller. */
export async function deciderToken(system: Pick<System, 'operator'>): Promise<string> {
  const command = ['token', 'create', '--subject', 'tracker', '--scope', 'signals:decide'];
  return (await system.operator<{ token: string }>(...command)).token;
}
