import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unavailable } from '@sigcast/contracts';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createApiKey, keyIdOf } from '../src/domain/api-key.ts';
import { isSignatureOf } from '../src/domain/leak-report.ts';
import { leakReportKeys } from '../src/proxy/leak-report-keys.ts';
import { MongoApiKeys } from '../src/store/api-keys.ts';
import { ask, freshAddress } from './ask.ts';
import { World } from './harness.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

/** The scanner's public keys, as GitHub publishes them. */
class Scanner {
  readonly #server: Server;
  readonly #keys = new Map<string, { privateKey: KeyObject; pem: string }>();
  fetches = 0;
  away = false;

  constructor() {
    this.#server = createServer((_req, res) => {
      this.fetches += 1;
      if (this.away) res.writeHead(500).end();
      else {
        const list = [...this.#keys].map(([id, { pem }]) => ({
          key_identifier: id,
          key: pem,
          is_current: true,
        }));
        res.setHeader('content-type', 'application/json').end(JSON.stringify({ public_keys: list }));
      }
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/keys`;
  }

  addKey(id: string): void {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#keys.set(id, { privateKey, pem: publicKey.export({ type: 'spki', format: 'pem' }).toString() });
  }

  headers(id: string, body: string) {
    const { privateKey } = this.#keys.get(id) ?? {};
    if (privateKey === undefined) throw new Error(`there is no key ${id}`);
    return {
      'github-public-key-identifier': id,
      'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
    };
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

let world: World;
let mails: MailServer;
let scanner: Scanner;
let keysUrl: string;
let gateways: readonly string[];

beforeAll(async () => {
  scanner = new Scanner();
  scanner.addKey('first');
  keysUrl = await scanner.start();
  mails = await startMailServer();
  world = await World.start();
  const env = {
    LEAK_REPORT_KEYS_URL: keysUrl,
    SMTP_URL: mails.url,
    PUBLIC_URL: 'http://api.example.com',
    MAIL_FROM: 'mail@example.com',
  };
  gateways = await Promise.all([world.gateway({ env }), world.gateway({ env })]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
  await scanner.close();
});

const found = (token: string) => ({
  token,
  type: 'sigcast_api_key',
  url: 'https://example.com/repo/blob/1/a.txt',
  source: 'content',
});

async function send(body: string, headers: Record<string, string>, at = gateways[0] ?? '') {
  const answer = await fetch(`${at}/keys/report`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': freshAddress(), ...headers },
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const report = (tokens: readonly string[], id = 'first') => {
  const body = JSON.stringify(tokens.map(found));
  return send(body, scanner.headers(id, body));
};

const statusAt = async (at: string, key: string) => (await ask(at, '/v1/signals', { key })).status;
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

describe('a report of leaked keys', () => {
  it('revokes each real key at every gateway, tells its holder by mail and in the audit log, and answers as GitHub wants it', async () => {
    const { key, sha256, account } = await world.customer();
    const { email = '' } = (await world.models.accounts.findById(account).lean()) ?? {};
    const madeUp = createApiKey(account).text;
    for (const at of gateways) expect(await statusAt(at, key)).toBe(200);
    const answer = await report([key, madeUp, 'ghp_something']);
    expect(answer).toEqual({
      status: 200,
      body: [
        { token_hash: hashOf(key), token_type: 'sigcast_api_key', label: 'true_positive' },
        { token_hash: hashOf(madeUp), token_type: 'sigcast_api_key', label: 'false_positive' },
        { token_hash: hashOf('ghp_something'), token_type: 'sigcast_api_key', label: 'false_positive' },
      ],
    });
    for (const at of gateways) expect(await statusAt(at, key)).toBe(401);
    await eventually(() => expect(mails.mailsTo(email)).toHaveLength(1), { timeoutMs: 30_000 });
    const [mail] = mails.mailsTo(email);
    expect(mail?.header('Subject')).toBe('A leaked API key was revoked');
    expect(mail?.raw).not.toContain(key);
    const entries = await world.models.audit.find({ account }).lean();
    expect(entries).toMatchObject([{ action: 'key.reported', target: keyIdOf(sha256) }]);
    // Again: the key is real, and nobody is told twice.
    expect((await report([key])).body).toMatchObject([{ label: 'true_positive' }]);
    expect(await world.models.audit.countDocuments({ account })).toBe(1);
  });

  it('revokes each key of the report, also when another one fails', async () => {
    const [one, other] = [await world.customer(), await world.customer()];
    const revoking = vi
      .spyOn(MongoApiKeys.prototype, 'revoke')
      .mockRejectedValueOnce(unavailable('The store'));
    onTestFinished(() => revoking.mockRestore());
    expect((await report([one.key, other.key])).status).toBe(503);
    expect(await statusAt(gateways[0] ?? '', other.key)).toBe(401);
  });

  it('changes nothing without the scanner’s signature of these bytes', async () => {
    const { key } = await world.customer();
    const body = JSON.stringify([found(key)]);
    const signed = scanner.headers('first', body);
    const wrong: readonly [Record<string, string>, string, string][] = [
      [{}, body, 'github-public-key-identifier'],
      [{ ...signed, 'github-public-key-signature': '' }, body, 'github-public-key-signature'],
      [scanner.headers('first', `${body} `), body, 'Github-Public-Key-Signature'],
      [signed, `${body} `, 'Github-Public-Key-Signature'],
      [{ ...signed, 'github-public-key-identifier': 'other' }, body, 'Github-Public-Key-Identifier'],
    ];
    for (const [headers, sent, field] of wrong) {
      expect(await send(sent, headers)).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_REQUEST', details: [{ field }] } },
      });
    }
    expect(await statusAt(gateways[0] ?? '', key)).toBe(200);
  });

  it('that is signed and is no list of what was found is refused', async () => {
    for (const body of ['{}', '[1]', 'x', '[{"token":1,"type":"x"}]']) {
      expect((await send(body, scanner.headers('first', body))).status).toBe(400);
    }
  });

  it('is 404 where no scanner is trusted', async () => {
    const at = await world.gateway();
    const body = '[]';
    expect(await send(body, scanner.headers('first', body), at)).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND', message: 'This server takes no reports of leaked keys' } },
    });
  });

  it('is limited for each network, before its body is read', async () => {
    const from = { 'x-forwarded-for': '198.18.7.1' };
    let status = 400;
    for (let n = 0; n < 120 && status === 400; n += 1) ({ status } = await send('[]', from));
    expect(status).toBe(400);
    expect((await send('[]', { 'x-forwarded-for': '198.18.7.2' })).status).toBe(429);
  });
});

describe('the public keys of a scanner', () => {
  it('are fetched once for all that wait, again for an unknown one after a minute, and after an hour', async () => {
    let nowMs = 0;
    const before = scanner.fetches;
    const fetched = () => scanner.fetches - before;
    const find = leakReportKeys(keysUrl, () => nowMs);
    const keys = await Promise.all(Array.from({ length: 20 }, () => find('first')));
    expect([new Set(keys).size, fetched()]).toEqual([1, 1]);
    scanner.addKey('second');
    for (let n = 0; n < 20; n += 1) expect(await find('second')).toBeUndefined();
    nowMs += 60_000;
    expect(await find('second')).toContain('PUBLIC KEY');
    await find('first');
    expect(fetched()).toBe(2);
    nowMs += 3_600_000;
    scanner.away = true;
    await expect(find('first')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    scanner.away = false;
    nowMs += 60_000;
    expect(await find('first')).toContain('PUBLIC KEY');
  });

  it('verify the signed request that GitHub documents for its partners', () => {
    const body = '[{"token":"some_token","type":"some_type","url":"some_url","source":"some_source"}]';
    const signature =
      'MEUCIFLZzeK++IhS+y276SRk2Pe5LfDrfvTXu6iwKKcFGCrvAiEAhHN2kDOhy2I6eGkOFmxNkOJ+L2y8oQ9A2T9GGJo6WJY=';
    const key =
      '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsz9ugWDj5jK5ELBK42ynytbo38gP\n' +
      'HzZFI03Exwz8Lh/tCfL3YxwMdLjB+bMznsanlhK0RwcGP3IDb34kQDIo3Q==\n-----END PUBLIC KEY-----\n';
    expect(isSignatureOf(Buffer.from(body), signature, key)).toBe(true);
    expect(isSignatureOf(Buffer.from(`${body}\n`), signature, key)).toBe(false);
    expect(isSignatureOf(Buffer.from(body), signature, 'no key')).toBe(false);
  });
});
