import { seededRandom } from '@sigcast/runtime';

/** A random request. The seed and the request's number determine it. */
export type FuzzRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Buffer | null;
};

/** Keys, tokens and ids that exist in the system. */
export type Known = {
  readonly keys: readonly string[];
  readonly accessToken: string;
  readonly signalId: string;
  readonly webhookId: string;
  readonly keyId: string;
};

/** Values that parsers may get wrong. */
const awkward = [
  '',
  '0',
  '-1',
  '1e309',
  '101',
  '99999999999999999999',
  'null',
  'true',
  '__proto__',
  'constructor',
  'NaN',
  '..',
  '.',
  '%',
  '%00',
  '%2e%2e',
  '%2F',
  '%ff',
  '%C3',
  '%ED%A0%80',
  '%E2%80%AE',
  '020',
  '%F0%9F%98%80',
  "' OR 1=1--",
  '$ne',
  '{"$gt":""}',
  '<script>',
  '\\',
  ';',
  '*',
  'a'.repeat(300),
  'new,',
  ',',
  'new,new',
  '2026-02-30',
  '2026-01-01T00:00:00Z',
  '2026-01-01',
  'yesterday',
  '🦊',
  'ünï',
];
const parameters = [
  'type',
  'status',
  'since',
  'until',
  'symbol',
  'contract',
  'limit',
  'page',
  'cursor',
  'event',
  'after',
  'order',
  'events',
  'types',
  'signal_type',
  'signal_id',
  'period',
  'days',
  'limti',
  'toString',
  '[]',
];
const types = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/xml',
  'multipart/form-data',
  '',
  'application/json; charset=utf-16',
];
const methods = ['GET', 'GET', 'GET', 'GET', 'POST', 'POST', 'PATCH', 'DELETE', 'HEAD', 'PUT', 'OPTIONS'];

/** Makes valid requests, and valid requests with something changed. */
export class Fuzzer {
  readonly #random: () => number;
  readonly #known: Known;

  constructor(seed: number, known: Known) {
    this.#random = seededRandom(seed);
    this.#known = known;
  }

  next(): FuzzRequest {
    const path = this.#path();
    const method = this.#pick(methods);
    const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS' && this.#chance(0.8);
    return {
      method,
      path: path + this.#query(),
      headers: this.#headers(path, hasBody),
      body: hasBody ? this.#body(path) : null,
    };
  }

  /** Bytes that are almost HTTP, or not HTTP at all. */
  nextRaw(): Buffer {
    const lines = [
      `${this.#pick(['GET', 'get', 'G\0T', 'FOO', 'PROPFIND', 'CONNECT', 'TRACE', ''])} ${this.#pick(['/v1/signals', '*', '//', '/v1/../internal', 'http://x/v1/stats', '/\x01', ' '])} ${this.#pick(['HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', 'HTTP', ''])}`,
      `Host: ${this.#pick(['x', '', 'x, y', 'x\r\nHost: y', '\x7f'])}`,
      this.#pick([
        '',
        'Content-Length: -1',
        'Content-Length: 1e3',
        'Content-Length: 5\r\nContent-Length: 6',
        'Transfer-Encoding: chunked\r\nContent-Length: 3',
        'Transfer-Encoding: gzip, chunked',
        'Transfer-Encoding : chunked',
        'X: a\r\n folded',
        `Long: ${'x'.repeat(20_000)}`,
        'NoColon',
        'Expect: 200-ok',
        ': empty',
        `Authorization: Bearer ${this.#pick(this.#known.keys)}`,
      ]),
    ];
    const text = `${lines.filter((line, i) => i < 2 || line !== '').join('\r\n')}\r\n\r\n${this.#pick(['', 'abc', '0\r\n\r\n', 'ZZ\r\nabc\r\n'])}`;
    const bytes = Buffer.from(text, 'latin1');
    for (let flips = this.#chance(0.5) ? this.#whole(4) : 0; flips > 0; flips -= 1) {
      bytes[this.#whole(bytes.length)] = this.#whole(256);
    }
    return bytes;
  }

  #path(): string {
    const { signalId, webhookId, keyId } = this.#known;
    const path = this.#pick([
      '/v1/signals',
      '/v1/signals',
      `/v1/signals/${signalId}`,
      `/v1/signals/${signalId}/history`,
      '/v1/stats',
      '/v1/stats/series',
      '/v1/events',
      '/v1/webhooks',
      `/v1/webhooks/${webhookId}`,
      `/v1/webhooks/${webhookId}/health`,
      `/v1/webhooks/${webhookId}/deliveries`,
      `/v1/webhooks/${webhookId}/deliveries/none`,
      `/v1/webhooks/${webhookId}/deliveries/none/retry`,
      `/v1/webhooks/${webhookId}/rotate-secret`,
      `/v1/webhooks/${webhookId}/test`,
      `/v1/webhooks/${webhookId}/recover`,
      '/account',
      '/account/keys',
      `/account/keys/${keyId}`,
      `/account/keys/${keyId}/rotate`,
      '/account/usage',
      '/account/session/refresh',
      '/account/password',
      '/v1',
      '/v1/nothing',
      '/nothing',
      '/internal/v1/signals',
    ]);
    if (this.#chance(0.6)) return path;
    const segments = path.split('/');
    const at = 1 + this.#whole(segments.length);
    const change = encodeURI(this.#pick(awkward)).replaceAll('%25', '%');
    if (this.#chance(0.5)) segments[at] = change;
    else segments.splice(at, this.#whole(2), change);
    return segments.join('/').replaceAll('?', '%3F').replaceAll('#', '%23') || '/';
  }

  #query(): string {
    const count = this.#chance(0.5) ? 0 : 1 + this.#whole(3);
    if (count === 0) return '';
    const pairs = Array.from({ length: count }, () => {
      const good = this.#pick([
        'type=new',
        'status=winner',
        'status=failed',
        'symbol=fuzz',
        'contract=0x1',
        'until=2100-01-01',
        'event=signal.new',
        'limit=3',
        'page=2',
        'since=2026-01-01',
        'period=7d',
        'days=2',
      ]);
      if (this.#chance(0.4)) return good;
      const value = this.#pick(awkward);
      return `${this.#pick(parameters)}=${this.#chance(0.5) ? encodeURIComponent(value) : encodeURI(value).replaceAll('%25', '%')}`;
    });
    return `?${pairs.join(this.#chance(0.95) ? '&' : ';').replaceAll('#', '%23')}`;
  }

  #headers(path: string, hasBody: boolean): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {
      'x-forwarded-for': `203.0.${this.#whole(256)}.${this.#whole(256)}`,
    };
    const { keys, accessToken } = this.#known;
    const mine = path.startsWith('/account') ? accessToken : this.#pick(keys);
    const token = this.#chance(0.85) ? mine : this.#pick([accessToken, ...keys, 'x', `${mine}x`, 'a.b.c']);
    if (this.#chance(0.95)) headers.authorization = this.#chance(0.97) ? `Bearer ${token}` : `Basic ${token}`;
    if (hasBody) headers['content-type'] = this.#chance(0.6) ? 'application/json' : this.#pick(types);
    const extra: [string, string | string[]][] = [
      ['if-none-match', this.#pick(['W/"x"', '"', ',,,', 'x'.repeat(900)])],
      ['idempotency-key', this.#pick(['a', '', 'x'.repeat(256), 'ü'])],
      ['accept', this.#pick(['*/*', 'text/html', ''])],
      ['accept-encoding', this.#pick(['gzip', 'br', 'deflate', '*', 'br;q=2', ',,', 'identity;q=0'])],
      ['range', 'bytes=0-1'],
      ['x-request-id', this.#pick(['short', 'long-enough-1', 'x'.repeat(129), 'a b c d e f g h'])],
      ['origin', 'https://app.example'],
      ['access-control-request-method', 'DELETE'],
      ['x-http-method-override', 'DELETE'],
      ['x-sigcast-identity', 'forged'],
      ['x-ratelimit-limit', '0'],
      ['content-encoding', this.#pick(['gzip', 'br', 'identity', 'x'])],
      [
        'cookie',
        this.#pick(['sigcast_refresh=x', 'sigcast_refresh=ses_01J9ZQ6W8T3M5N7P9R1S3V5X7Z.', ';;;=']),
      ],
      ['sec-fetch-site', this.#pick(['cross-site', 'same-origin'])],
    ];
    // Some of the few successful reads must be answered 304.
    if (this.#chance(0.15)) headers['if-none-match'] = '*';
    for (let count = this.#whole(3); count > 0; count -= 1) {
      const [name, value] = this.#pick(extra);
      headers[name] = value;
    }
    return headers;
  }

  #body(path: string): string | Buffer {
    const right = path.includes('recover')
      ? { since: new Date(Date.now() - 60_000).toISOString() }
      : path.includes('webhooks')
        ? { url: 'http://127.0.0.1:8443/', events: ['signal.new'], types: ['new'], description: 'x' }
        : path.includes('password')
          ? { current_password: 'x', new_password: 'short' }
          : path.includes('rotate')
            ? { overlap_days: 8, expires_in_days: 30 }
            : { name: 'x', environment: 'Not Allowed', expires_in_days: 30 };
    // So often that some come to a path that takes a body, from somebody who may send it.
    if (this.#chance(0.2)) return ' '.repeat(100_001);
    if (this.#chance(0.25)) return JSON.stringify(right);
    if (this.#chance(0.6)) return JSON.stringify(this.#mutated(right));
    return this.#pick<string | Buffer>([
      '',
      '{',
      '[]',
      'null',
      '"text"',
      '1e999',
      '{"a":1}{"b":2}',
      '\ufeff{}',
      '{"__proto__":{"x":1}}',
      '{"url":"a","url":"b"}',
      '['.repeat(5_000),
      `{"url":"${'x'.repeat(50_000)}"}`,
      Buffer.from([0xff, 0xfe, 0x7b]),
      Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
    ]);
  }

  #mutated(value: object): unknown {
    const copy: Record<string, unknown> = { ...value };
    const name = this.#chance(0.8) ? this.#pick(Object.keys(copy)) : this.#pick(awkward);
    copy[name] = this.#pick<unknown>([
      null,
      true,
      -1,
      1e308,
      [],
      {},
      [[]],
      { $gt: '' },
      'a\ud800b',
      'a\u202eb',
      'a\u0007b',
      ...awkward,
      ['signal.new', 'signal.new'],
      ['x'],
    ]);
    if (this.#chance(0.2)) delete copy[this.#pick(Object.keys(copy))];
    return copy;
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#whole(list.length)] as T;
  }

  #whole(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }
}
