import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type PageName, pageNames } from '@sigcast/guides';
import { ensurePython } from '@sigcast/local';
import { clientNodeVersions, eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectToVerify, type PrintedReceiver, startPrinted } from '../printed-receiver.ts';
import { sharedSystem, type TestSystem } from '../system.ts';
import { codeBlocks, fileName, isAtHand, program, Workbench } from './samples.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let system: TestSystem;
let receiver: Receiver;
let bench: Workbench;
let env: Record<string, string>;
let winner: string;

beforeAll(async () => {
  system = await sharedSystem();
  receiver = await startReceiver();
  bench = await Workbench.open();
  const logFile = join(tmpdir(), `sigcast-python-${process.pid}.log`);
  const python = await ensurePython({ logFile, report: (line) => process.stderr.write(`${line}\n`) });
  env = {
    SIGCAST_URL: system.gatewayUrl,
    SIGCAST_API_KEY: system.apiKey,
    RECEIVER_URL: `${receiver.url}/hook`,
    WEBHOOK_ID: await makeWebhook(),
    SINCE: new Date(Date.now() - 60_000).toISOString(),
    PATH: `${dirname(process.execPath)}${delimiter}${dirname(python)}${delimiter}${process.env.PATH}`,
  };
  winner = await system.createSignal();
  const { response } = await system.ingest('PATCH', `/${winner}`, { status: 'winner' });
  expect(response.status).toBe(200);
  await eventually(async () => {
    const { body } = await system.api(`/v1/events?events=signal.winner&signal_id=${winner}`);
    expect(body.data).toHaveLength(1);
    const stats = await system.api('/v1/stats');
    expect(stats.body.data).not.toMatchObject({ winners: 0 });
    const { response: history } = await system.api(`/v1/signals/${winner}/history`);
    expect(history.status).toBe(200);
    const { response: proof } = await system.api(`/v1/signals/${winner}/proof`);
    expect(proof.status).toBe(200);
  });
});

afterAll(async () => {
  bench?.[Symbol.dispose]();
  await receiver?.[Symbol.asyncDispose]();
  await system?.stop();
});

async function makeWebhook(): Promise<string> {
  const { body } = await system.api('/v1/webhooks', {
    method: 'POST',
    body: JSON.stringify({ url: `${receiver.url}/other`, events: ['signal.rugged'] }),
  });
  return (body.data as { id: string }).id;
}

/** A part of what the samples of each page print. */
const printed: Partial<Record<PageName, RegExp>> = {
  index: /"total":/,
  'quick-start': /"total_signals":/,
  authentication: /"success":true/,
  pagination: /[1-9]\d* winners/,
  statistics: /"distribution":(?:.|\n)*"realizable":(?:.|\n)*"points":/,
  history: /"resolution":"5m"/,
  'track-record': /"tlog_proof":"c2sp/,
  backtests: /"status":"completed"(?:.|\n)*target 4: \d+ trades, .* %\n.*\ntarget 1\.5: \d+ trades, .* %/,
  'rate-limits': /[1-9]\d* signals/,
  webhooks: /"secret":"whsec_/,
  'webhook-delivery': /"status":"(completed|running)"/,
  events: /evt_\w+ signal\.new sig_\w+\n(?:evt_.*\n)*evt_\w+ signal\.winner sig_/,
  mcp: /"structuredContent":\{"success":true/,
  client: /\d+ of \d+ won; \d+ requests left\nNOVA 0 %\n(?:.*\n)*\d+ of \d+ won\nNOVA 0 %/,
};

type Language = Omit<PrintedReceiver, 'text' | 'secret'> & {
  readonly file: string;
  readonly atHand: boolean;
};

const languages: Readonly<Record<string, Language>> = {
  Python: { program: 'python3', file: 'receiver.py', atHand: isAtHand('python3', '--version') },
  Go: {
    program: 'sh',
    args: () => ['-c', 'go build -o receiver receiver.go && exec ./receiver'],
    file: 'receiver.go',
    atHand: isAtHand('go', 'version'),
  },
  PHP: {
    program: 'php',
    args: (port) => ['-S', `127.0.0.1:${port}`, 'receiver.php'],
    file: 'receiver.php',
    atHand: isAtHand('php', '--version'),
  },
  Ruby: { program: 'ruby', file: 'receiver.rb', atHand: isAtHand('ruby', '-rwebrick', '-e', '0') },
};

/** The pages whose samples run a program in Node. These samples run in every version of Node that the client supports. */
const nodePages = ['pagination', 'backtests', 'rate-limits', 'client'] as const satisfies PageName[];
const otherPages = Object.keys(printed).filter((page) => !(nodePages as readonly string[]).includes(page));

/** Programs that no terminal sample of their page runs. The tests below run them. */
const startedHere = ['follow.mjs', 'follow.py', 'forward.mjs', 'receiver.mjs'];

/** Blocks of code, by their first words, that are not samples or that run elsewhere. */
const notRunHere: Readonly<Record<string, string>> = {
  'POST /hooks/sigcast': 'a request that receivers get',
  'id: evt_': 'an event of a stream',
  'npx --no -- sigcast': 'in command-line-readme.e2e.test.ts',
  'python3 -m sigcast verify': 'in python-client.e2e.test.ts',
  'yes  The checkpoint': 'what a command prints',
  'export SIGCAST_SECRET=': 'the test below that forwards the stream has these settings and this program',
  'claude mcp add': 'a command of another program',
  '{': 'a file of another program',
  'npx pnpm@12 start': 'in infra/local/test/local-system.e2e.test.ts',
};

describe('the samples of the documentation', () => {
  it('are run here for every page that has any', () => {
    const withSamples = pageNames.filter((name) =>
      codeBlocks(name).some(({ language }) => language === 'sh'),
    );
    expect(Object.keys(printed).concat('local-webhooks').sort()).toEqual([...withSamples].sort());
  });

  it('are run here in every language except JSON, which another test compares with schemas', () => {
    const files = Object.values(languages).map(({ file }) => file);
    const unknown = pageNames.flatMap((page) => {
      const blocks = codeBlocks(page);
      const typed = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
      const isRun = ({ language, text }: { language: string; text: string }) => {
        if (language === 'sh' || language === 'json') return true;
        const name = fileName(text);
        if (name === undefined) return Object.keys(notRunHere).some((words) => text.startsWith(words));
        return files.concat(startedHere).includes(name) || typed.join('').includes(` ${name}\n`);
      };
      return blocks.filter((block) => !isRun(block)).map(({ text }) => `${page}: ${text}`);
    });
    expect(unknown).toEqual([]);
  });

  it.each(otherPages)('%s: do what they say, as they are printed', async (page) => {
    const said = await bench.run(page as PageName, env, `${system.apiKey}\n`);
    expect(said).toMatch(printed[page as PageName] as RegExp);
  });
});

describe('the samples of the documentation in Python', () => {
  it('follow the stream with the client after an event', async () => {
    await expectToFollow('follow.py', 'python3');
  });
});

/** Runs a program of the client's page that follows the stream, after the first event. */
async function expectToFollow(name: string, program: string): Promise<void> {
  bench.write('client');
  const { body } = await system.api(`/v1/events?signal_id=${winner}`);
  const [first] = body.data as { id: string }[];
  const following = bench.start(name, program, { ...env, LAST_EVENT_ID: first?.id ?? '' });
  await eventually(() => expect(following.said()).toMatch(/evt_\w+ signal\.winner NOVA/));
  await following.stop();
  expect(following.said()).not.toContain(first?.id);
}

describe.each(clientNodeVersions())('the samples of the documentation in Node $version', (node) => {
  const receiverText = program('verify-webhooks', 'receiver.mjs');

  it.each(nodePages)('%s: do what they say, as they are printed', async (page) => {
    const said = await bench.run(page, { ...env, PATH: `${dirname(node.program)}${delimiter}${env.PATH}` });
    expect(said).toMatch(printed[page] as RegExp);
  });

  it('follow the stream with the client after an event', async () => {
    await expectToFollow('follow.mjs', node.program);
  });

  it('forward the stream to a local receiver that accepts it, as it accepts what is signed by hand', async () => {
    await using local = await startPrinted({ program: node.program, text: receiverText, secret });
    const given = { ...env, SIGCAST_SECRET: secret, FORWARD_TO: local.url };
    const byHand = await bench.run('local-webhooks', given);
    expect(byHand).toContain('HTTP/1.1 200 OK');
    expect(local.said()).toContain('signal.new sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z');

    const forwarding = bench.start('forward.mjs', node.program, given);
    const made: string[] = [];
    await eventually(
      async () => {
        made.push(await system.createSignal());
        expect(forwarding.said()).toMatch(/evt_\w+ 200/);
      },
      { everyMs: 500 },
    );
    await eventually(() => expect(local.said()).toContain(made.at(-1)));
    await forwarding.stop();
  });

  it('receive signed deliveries only', async () => {
    await expectToVerify({ program: node.program, text: receiverText, secret });
  });

  it('receive webhooks after a request that broke off', async () => {
    await using local = await startPrinted({ program: node.program, text: receiverText, secret });
    const { port } = new URL(local.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100\r\n\r\n{"event":');
    await eventually(() => expect(socket.bytesWritten).toBeGreaterThan(60));
    socket.destroy();
    await eventually(async () => expect((await fetch(local.url)).status).toBe(401));
  });
});

const all = Object.entries(languages);
const missing = all.filter(([, { atHand }]) => !atHand).map(([name]) => name);
const note = missing.length === 0 ? '' : ` (not installed here, so not run: ${missing.join(', ')})`;

describe(`the receivers of the documentation${note}`, () => {
  it.each(all.filter(([, { atHand }]) => atHand))(
    'in %s, as printed, accept signed deliveries only',
    async (_name, { atHand: _atHand, ...how }) => {
      await expectToVerify({ ...how, text: program('verify-webhooks', how.file), secret });
    },
  );
});
