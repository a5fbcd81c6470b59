import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, type Receiver, startReceiver } from '@sigcast/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failure, success } from '../answers.ts';
import { describeWithTerminal, startAtTerminal } from './child.ts';
import { finish } from './terminal.ts';

let api: Receiver;
let home: string;
let file: string;
let env: Record<string, string>;

beforeAll(async () => {
  api = await startReceiver();
});

afterAll(() => api?.[Symbol.asyncDispose]());

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sigcast-home-'));
  file = join(home, 'sigcast', 'config.json');
  env = { XDG_CONFIG_HOME: home };
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const keysSent = (path: string) =>
  api.requests.filter((request) => request.path === path).map(({ headers }) => headers.authorization);

/** Logs in with a key that the API takes. */
async function logIn(key = 'sk_stored') {
  api.script('/v1/signals?limit=1', success([], { total: 0 }));
  return finish(`login --url ${api.url}/`, { env, input: `${key}\n` });
}

describe('logging in', () => {
  it('stores a key that works in a file of mode 0600, and later commands use it', async () => {
    const { exit, out, err } = await logIn();
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(out).toBe(`Stored the key for ${api.url} in ${file}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url: api.url, api_key: 'sk_stored' });

    api.script('/v1/signals/sig_stored', success({ id: 'sig_stored' }));
    expect(await finish('signals get sig_stored', { env })).toMatchObject({ exit: 0 });
    expect(keysSent('/v1/signals/sig_stored')).toEqual(['Bearer sk_stored']);
  });

  it('stores nothing for a key that the API refuses, and keeps the one before', async () => {
    await logIn('sk_before');
    api.script('/v1/signals?limit=1', failure(401, 'UNAUTHORIZED'));
    const { exit } = await finish(`login --url ${api.url}`, { env, input: 'sk_wrong' });
    expect(exit).toBe(3);
    expect(readFileSync(file, 'utf8')).toContain('sk_before');
  });

  it.each([
    ['', 3, 'No key came on standard input'],
    ['two words', 3, 'What came is no API key'],
  ])('refuses %j before anything is sent', async (input, status, message) => {
    const { exit, err } = await finish('login --url http://127.0.0.1:1', { env, input });
    expect({ exit, err }).toEqual({ exit: status, err: expect.stringContaining(message) });
  });

  it('needs an address', async () => {
    expect(await finish('login', { env, input: 'sk_1' })).toMatchObject({
      exit: 2,
      err: expect.stringContaining('sigcast login --url <url>'),
    });
  });

  it('is undone by logging out, twice too', async () => {
    await logIn();
    expect((await finish('logout', { env })).exit).toBe(0);
    expect((await finish('logout', { env })).exit).toBe(0);
    const { exit, err } = await finish('stats', { env });
    expect({ exit, err }).toEqual({
      exit: 3,
      err: expect.stringContaining('No API key: set SIGCAST_API_KEY'),
    });
  });
});

describeWithTerminal('logging in at a terminal', () => {
  /** `sigcast login` at a terminal, once it asks for the key. */
  async function atTerminal() {
    const started = startAtTerminal(`login --url ${api.url}`, env);
    await eventually(() => expect(started.out()).toContain('API key: '));
    return started;
  }

  it('shows nothing of the key while it is typed and corrected', async () => {
    api.script('/v1/signals?limit=1', success([], { total: 0 }));
    const { type, out, ended } = await atTerminal();
    type('sk_typedX\u007f\r');
    expect(await ended).toBe(0);
    expect(out()).not.toContain('sk_typ');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ api_key: 'sk_typed' });
  });

  it('ends at Ctrl-C with 130, and stores nothing', async () => {
    const { type, ended } = await atTerminal();
    type('sk_half\u0003');
    expect(await ended).toBe(130);
    expect(existsSync(file)).toBe(false);
  });
});

describe('a stored key', () => {
  it.each(['640', '604', '666'])('is refused while others can read its file (mode %s)', async (mode) => {
    await logIn();
    chmodSync(file, Number.parseInt(mode, 8));
    const { exit, err } = await finish('stats', { env });
    expect({ exit, err }).toEqual({ exit: 3, err: expect.stringContaining(`Type: chmod 600 ${file}`) });
  });

  it('gives way to the one in the environment', async () => {
    await logIn();
    api.script('/v1/signals/sig_env', success({ id: 'sig_env' }));
    await finish('signals get sig_env', { env: { ...env, SIGCAST_API_KEY: 'sk_env' } });
    expect(keysSent('/v1/signals/sig_env')).toEqual(['Bearer sk_env']);
  });

  it('goes to no other address than the one it was stored for', async () => {
    await logIn();
    const { exit, err } = await finish(`signals get sig_else --url ${api.url}/else`, { env });
    expect({ exit, err }).toEqual({ exit: 3, err: expect.stringContaining(`is for ${api.url}, not for`) });
    expect(keysSent('/else/v1/signals/sig_else')).toEqual([]);
  });

  it.each([
    '{"api_key":1}',
    'null',
    '',
    '{"api_key":"sk_1","url":"here"}',
    '{"api_key":"sk_1\\n","url":"https://here"}',
    '{"api_key":"sk_1","url":"http://elsewhere.test"}',
  ])('is not guessed from a file that holds something else: %s', async (content) => {
    await logIn();
    writeFileSync(file, content);
    const { exit, err } = await finish('stats', { env });
    expect({ exit, err }).toEqual({ exit: 3, err: expect.stringContaining('holds no key and address') });
  });

  it('in a file that can’t be read, written or deleted is said in a sentence', async () => {
    const folder = { SIGCAST_CONFIG: join(home, 'folder') };
    mkdirSync(folder.SIGCAST_CONFIG, { mode: 0o700 });
    const beneath = { SIGCAST_CONFIG: join(file, 'beneath') };
    await logIn();
    api.script('/v1/signals?limit=1', success([], { total: 0 }), success([], { total: 0 }));
    const said = async (line: string, given: Record<string, string>) => {
      const { exit, err } = await finish(line, { env: given, input: 'sk_1' });
      return `${exit} ${err}`;
    };
    const { SIGCAST_CONFIG: path } = folder;
    expect(await said('stats', folder)).toBe(`3 sigcast: ${path} can’t be read (EISDIR)`);
    expect(await said('logout', folder)).toBe(`3 sigcast: ${path} can’t be deleted (ERR_FS_EISDIR)`);
    expect(await said(`login --url ${api.url}`, folder)).toBe(`3 sigcast: ${path} can’t be written (EISDIR)`);
    expect(await said('stats', beneath)).toBe(`3 sigcast: ${file}/beneath can’t be read (ENOTDIR)`);
    expect(await said(`login --url ${api.url}`, beneath)).toMatch(
      /^3 .* can’t be written \((EEXIST|ENOTDIR)\)$/,
    );
  });

  it('is never repeated in a message', async () => {
    const { err } = await finish('stats', { env: { SIGCAST_API_KEY: 'sk_hush\n', SIGCAST_URL: api.url } });
    expect(err).toContain('SIGCAST_API_KEY is no API key');
    expect(err).not.toContain('hush');
  });
});

describe('what looks like a key or a secret', () => {
  it.each([
    ['login sk_hush', {}, 'login takes no argument: type the key when you are asked for it, or pipe it'],
    ['--api-key sk_hush stats', {}, 'There is no command "--api-key sk_…'],
    ['stats sk_hush', {}, '"sk_…" is one argument too many'],
    ['stats --sk_hush', {}, 'There is no option --sk_… here'],
    ['deliveries get whsec_hu+/sh=', {}, 'not "whsec_…"'],
    ['stats', { SIGCAST_URL: 'sk_hush', SIGCAST_API_KEY: 'http://hush' }, 'SIGCAST_URL must be an http'],
    ['stats', { SIGCAST_URL: 'ftp://hush', SIGCAST_API_KEY: 'sk_1' }, 'SIGCAST_URL must be an http'],
  ])('is not repeated on standard error by "sigcast %s"', async (line, given, message) => {
    const { exit, err } = await finish(line, { env: { ...env, ...given } });
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining(message) });
    expect(err).not.toMatch(/hu.*sh/);
  });

  it('is not repeated where the address in the environment is another one than the stored', async () => {
    await logIn();
    const { err } = await finish('stats', { env: { ...env, SIGCAST_URL: `${api.url}/hush` } });
    expect(err).toContain(`is for ${api.url}, not for the address in SIGCAST_URL`);
    expect(err).not.toContain('hush');
  });
});

describe('the address', () => {
  const refused = [
    ['http://user:hush@127.0.0.1:1', 'must be an address without a user name and a password'],
    ['https://hush@here.test', 'must be an address without a user name and a password'],
    ['http://hush.test', 'must be an https address: only an address of this machine may be http'],
    ['http://127.0.0.1.hush.test', 'must be an https address'],
    ['http://10.0.0.1', 'must be an https address'],
  ] as const;

  it.each(refused)('%s is refused wherever it stands, and is not repeated', async (url, message) => {
    const commands = [
      [`login --url ${url}`, {}, '--url'],
      ['login', { SIGCAST_URL: url }, 'SIGCAST_URL'],
      [`stats --url ${url}`, { SIGCAST_API_KEY: 'sk_1' }, '--url'],
      ['stats', { SIGCAST_API_KEY: 'sk_1', SIGCAST_URL: url }, 'SIGCAST_URL'],
    ] as const;
    for (const [line, given, source] of commands) {
      const { exit, err } = await finish(line, { env: { ...env, ...given }, input: 'sk_1' });
      expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining(`${source} ${message}`) });
      expect(err).not.toContain('hush');
    }
  });

  it.each(['http://localhost:1', 'http://api.localhost:1', 'http://127.1:1', 'http://[::1]:1'])(
    'of this machine may be http: %s',
    async (url) => {
      const { exit } = await finish(`webhooks trigger wh_1 --url ${url}`, {
        env: { SIGCAST_API_KEY: 'sk_1' },
      });
      expect(exit).toBe(4);
    },
  );

  it('of a receiver has no password either', async () => {
    const line = 'webhooks listen --forward http://user:hush@127.0.0.1/';
    const { exit, err } = await finish(line, { env: { SIGCAST_API_KEY: 'sk_1', SIGCAST_URL: api.url } });
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining('--forward must be an address') });
    expect(err).not.toContain('hush');
  });

  it('must be there too', async () => {
    const { exit, err } = await finish('stats', { env: { ...env, SIGCAST_API_KEY: 'sk_1' } });
    expect({ exit, err }).toEqual({
      exit: 2,
      err: expect.stringContaining('set SIGCAST_URL, or pass --url'),
    });
  });
});
