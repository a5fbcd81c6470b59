import { expect, it } from 'vitest';
import { addressPolicy } from '../src/sending/address-policy.ts';

const production = addressPolicy({ allowHttp: false, allowedNetworks: [] });

const refused = [
  // Not https, not complete.
  ...[
    'http://example.org/',
    'ftp://example.org/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'example.org',
    '',
  ],
  ...['https://', 'https:///x', 'https:example.org', 'https:\\\\example.org', '//example.org'],
  // A host at another place than it seems, or a name that DNS cannot hold.
  ...[
    'https:///example.org',
    'https:////example.org/',
    'https://?example.org',
    'https://.example.org/',
    'https://example..org/',
    'https://./',
    'https://../',
    `https://${'a'.repeat(64)}.org/`,
    `https://${'a.'.repeat(126)}org/`,
  ],
  ...[
    ' https://example.org',
    'https://example.org/ x',
    'https://exa\tmple.org/',
    'https://example.org\\@127.0.0.1/',
  ],
  // Credentials, fragments, ports.
  ...[
    'https://user@example.org/',
    'https://user:pass@example.org/',
    'https://@example.org/',
    'https://:@example.org/',
  ],
  ...[
    'https://example.org/#x',
    'https://example.org:22/',
    'https://example.org:80/',
    'https://example.org:6379/',
  ],
  ...['https://example.org:99999/', 'https://example.org:0/'],
  // Names that are not public.
  ...[
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://a.localhost/',
    'https://printer.local/',
  ],
  ...[
    'https://metadata.google.internal/',
    'https://intranet/',
    'https://redis/',
    'https://db.lan/',
    'https://x.home.arpa/',
  ],
  ...[
    'https://example.org./',
    'https://host.internal/',
    'https://x.test/',
    'https://x.invalid/',
    'https://x.onion/',
  ],
  // IPv4 that is not public, as written plainly.
  ...[
    'https://127.0.0.1/',
    'https://127.255.255.254/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
  ],
  ...['https://172.31.255.255/', 'https://192.168.0.1/', 'https://169.254.169.254/', 'https://100.64.0.1/'],
  ...['https://100.100.100.200/', 'https://192.0.0.1/', 'https://192.0.2.1/', 'https://198.18.0.1/'],
  ...['https://198.51.100.1/', 'https://203.0.113.1/', 'https://224.0.0.1/', 'https://240.0.0.1/'],
  ...['https://255.255.255.255/', 'https://168.63.129.16/'],
  // IPv4 in other forms: decimal, octal, hexadecimal, short, full-width, percent-encoded; also public ones.
  ...[
    'https://2130706433/',
    'https://0x7f000001/',
    'https://017700000001/',
    'https://127.1/',
    'https://127.0.1/',
  ],
  ...[
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://00127.0.0.1/',
    'https://127.0.0.1./',
    'https://134744072/',
  ],
  ...[
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://0x08080808/',
    'https://0/',
    // The plain form in the path or query does not make the host permitted.
    'https://134744072/8.8.8.8',
    'https://0x08080808/?to=8.8.8.8',
  ],
  // IPv6 that is not public, or wraps an IPv4 address.
  ...[
    'https://[::1]/',
    'https://[::]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[fe80::1]/',
    'https://[fe80::1%25eth0]/',
  ],
  ...['https://[fe80::1%eth0]/', 'https://[fc00::1]/', 'https://[fd00:ec2::254]/', 'https://[ff02::1]/'],
  ...[
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::127.0.0.1]/',
  ],
  ...[
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://[64:ff9b:1::1]/',
    'https://[2002:7f00:1::]/',
  ],
  ...[
    'https://[2001:0:7f00:1::1]/',
    'https://[2001:db8::1]/',
    'https://[100::1]/',
    'https://[4000::1]/',
    'https://[::1]:8443/',
  ],
];

it.each(refused)('the address policy refuses %s', (url) => {
  expect(production.checkUrl(url)).toEqual(expect.stringMatching(/^must/));
});

it.each([
  'https://hooks.sigcast.io/in',
  'https://hooks.sigcast.io:8443/in?token=x',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/x',
  'HTTPS://HOOKS.sigcast.io/in',
  `https://${'a'.repeat(63)}.sigcast.io/`,
  `https://${'a.'.repeat(121)}sigcast.io/`,
])('the address policy accepts %s', (url) => {
  expect(production.checkUrl(url)).toBeUndefined();
});

it.each([
  ['https:///example.org', 'must have its host name right after //, as in https://example.com/hook'],
  ['https://example..org/', 'must not have an empty part between the dots of its host name'],
  ['https://example.org./', 'must not have a host name that ends with a dot'],
  [`https://${'a'.repeat(64)}.org/`, 'must have a host name of at most 253 characters, 63 between two dots'],
])('the address policy says what is wrong with %s', (url, problem) => {
  expect(production.checkUrl(url)).toBe(problem);
});

it('the address policy admits http and loopback only where a setting says so', () => {
  const development = addressPolicy({ allowHttp: true, allowedNetworks: ['127.0.0.0/8', '::1/128'] });
  for (const url of ['http://127.0.0.1:8080/', 'http://localhost/x', 'https://[::1]:8443/']) {
    expect(development.checkUrl(url)).toBeUndefined();
  }
  for (const url of ['http://10.0.0.1/', 'http://192.168.1.1/', 'http://169.254.169.254/']) {
    expect(development.checkUrl(url)).toEqual(expect.stringMatching(/^must/));
  }
});

it('the address policy permits the ports that its error lists, to every host alike, and more where a setting lists them', () => {
  const strict = addressPolicy({ allowHttp: true, allowedNetworks: ['127.0.0.0/8'] });
  const ports = [
    { first: 9_000, last: 9_000 },
    { first: 10_000, last: 10_099 },
  ];
  const listing = addressPolicy({ allowHttp: false, allowedNetworks: [], ports });
  const usual = 'must use port 443, 8443, 80, 8080 or none';
  for (const host of ['8.8.8.8', 'hooks.sigcast.io', '127.0.0.1', 'receiver', 'hooks.test']) {
    for (const port of [22, 6379, 9000]) expect(strict.checkUrl(`http://${host}:${port}/`)).toBe(usual);
    for (const port of [443, 8443, 80, 8080])
      expect(strict.checkUrl(`http://${host}:${port}/`)).toBeUndefined();
  }
  for (const port of [9000, 10_000, 10_099, 443]) {
    expect(listing.checkUrl(`https://hooks.sigcast.io:${port}/`)).toBeUndefined();
  }
  expect(listing.checkUrl('https://hooks.sigcast.io:10100/')).toBe(
    'must use port 443, 8443, 9000, 10000-10099 or none',
  );
});

it('the address policy refuses the ports of the system itself in allowed networks, by address and by name', () => {
  const ownPorts = [{ first: 8_080, last: 8_080 }];
  const local = addressPolicy({ allowHttp: true, allowedNetworks: ['127.0.0.0/8'], ownPorts });
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', 'receiver']) {
    expect(local.checkUrl(`http://${host}:8080/`)).toBe('must not be an address of Sigcast itself');
  }
  expect(local.checkUrl('http://hooks.sigcast.io:8080/')).toBeUndefined();
  expect([
    local.allows('127.0.0.1', 8_080),
    local.allows('127.0.0.1', 443),
    local.allows('8.8.8.8', 8_080),
  ]).toEqual([false, true, true]);
});
