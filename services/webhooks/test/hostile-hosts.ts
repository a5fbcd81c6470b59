/** Hosts of addresses that lead inside: to loopback, private networks or metadata services. */
export const hostileHosts: readonly string[] = [
  ...['127.0.0.1', '10.0.0.1', '192.168.1.1', '169.254.169.254', '100.100.100.200'].flatMap(formsOfIpv4),
  // Some parsers see a public address here, others see loopback.
  ...[
    '127.0.0.1.',
    '127.1.',
    '2130706433.',
    '0x7f000001.',
    '127.0.0.1%00.example.org',
    '127.0.0.1%2eexample',
  ],
  ...['0', '0.0.0.0', '00000', '0x0', '0.0', '127.127.127.127', '127.255.255.255', '255.255.255.255'],
  // Digits that a host parser maps to ASCII (UTS 46): full-width, mathematical, circled, superscript, and dots.
  ...[
    '１２７.0.0.1',
    '１２７．０．０．１',
    '127。0。0。1',
    '127｡0｡0｡1',
    '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
    '𝟙𝟚𝟟.0.0.1',
    '①②⑦.⓪.⓪.①',
    '¹²⁷.0.0.1',
  ],
  ...[
    '𝟐𝟏𝟑𝟎𝟕𝟎𝟔𝟒𝟑𝟑',
    '０x7f000001',
    '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
    'ｌｏｃａｌｈｏｓｔ',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'loca\u00adlhost',
    '127.0.0.\u200b1',
  ],
  ...['%31%32%37.0.0.1', '%6c%6f%63alhost', '127%2e0%2e0%2e1'],
  // IPv6 that is not public, or wraps an IPv4 address: mapped, compatible, NAT64, 6to4, Teredo, ISATAP.
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::0.0.0.1]',
    '[0::1]',
  ],
  ...['127.0.0.1', '10.0.0.1', '169.254.169.254', '8.8.8.8'].flatMap((inside) => [
    ...[
      `[::ffff:${inside}]`,
      `[::FFFF:${inside}]`,
      `[0:0:0:0:0:ffff:${inside}]`,
      `[::ffff:${hexPair(inside)}]`,
    ],
    ...[`[::${inside}]`, `[::${hexPair(inside)}]`, `[::ffff:0:${inside}]`, `[64:ff9b::${inside}]`],
    ...[`[64:ff9b::${hexPair(inside)}]`, `[64:ff9b:1::${inside}]`, `[2002:${hexPair(inside)}::1]`],
    ...[`[fe80::5efe:${inside}]`, `[2001:0:${hexPair(inside)}::1]`],
  ]),
  ...[
    '[fe80::1]',
    '[fe80::1%25lo]',
    '[fe80::1%lo]',
    '[::1%25lo]',
    '[::1%lo]',
    '[::1%251]',
    '[fe80::a9fe:a9fe%25eth0]',
  ],
  ...[
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[fec0::1]',
    '[ff02::1]',
    '[ff05::2]',
    '[100::1]',
    '[4000::1]',
  ],
  ...[
    '[2001:db8::1]',
    '[3fff::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[5f00::1]',
    '[::1',
    '::1',
    '[::1].example.org',
  ],
  // Metadata services and what resolves inside by convention.
  ...[
    'metadata',
    'metadata.google.internal',
    'metadata.google.internal.',
    'instance-data.ec2.internal',
    '168.63.129.16',
  ],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost.localdomain',
    'a.b.localhost',
    'ip6-localhost',
    'host.docker.internal',
  ],
  ...[
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'redis',
    'router.lan',
    'printer.local',
    'x.home.arpa',
  ],
  // User information: the text before the @ is not the host.
  ...[
    'example.org@127.0.0.1',
    'example.org:443@127.0.0.1',
    'a:b@localhost',
    '@127.0.0.1',
    'example.org%40@127.0.0.1',
  ],
  ...[
    '127.0.0.1@example.org',
    'example.org\\@127.0.0.1',
    '127.0.0.1\\.example.org',
    '127.0.0.1#@example.org',
  ],
];

/** The forms of an IPv4 address that inet_aton and the WHATWG URL parser accept: decimal, octal, hexadecimal, short, mixed. */
function formsOfIpv4(plain: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = plain.split('.').map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (n: number) => `0x${n.toString(16)}`;
  const octal = (n: number) => `0${n.toString(8)}`;
  const [low16, low24] = [c * 256 + d, (b * 256 + c) * 256 + d];
  return [
    ...[plain, String(whole), hex(whole), hex(whole).toUpperCase(), octal(whole)],
    ...[`00${octal(whole)}`, `0x00${whole.toString(16)}`, `${a}.${low24}`, `${a}.${b}.${low16}`],
    ...[
      [a, b, c, d].map(hex).join('.'),
      [a, b, c, d].map(octal).join('.'),
      `${hex(a)}.${b}.${octal(c)}.${d}`,
    ],
    ...[`${octal(a)}.${hex(low24)}`, `${hex(a)}.${octal(b)}.${low16}`, `00${octal(a)}.${b}.${c}.${d}`],
  ];
}

/** An IPv4 address as the last two groups of an IPv6 one. */
function hexPair(plain: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = plain.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
