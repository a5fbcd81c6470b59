/**
 * What is compared, by who sends and who reads: `requests` of the last release's clients, `answers` to them, `newEvents` of
 * this release for consumers of the last one, and `oldEvents` of the last release for consumers of this one.
 */
export type Direction = 'requests' | 'answers' | 'newEvents' | 'oldEvents';

/** The words with which a comparison reports differences. */
export type Telling = {
  readonly direction: Direction;
  /** The part of the contract, such as `Request of GET /v1/signals`. Each sentence begins with it. */
  readonly where: string;
  /** The name of the member at a path. The path of the whole body is empty. */
  readonly called: (path: string) => string;
  /** The readers of the body. Default: clients. */
  readonly readers?: 'receivers';
  /** The effect, where it is the same for every difference. */
  readonly whom?: string;
};

/** A breaking change: the part of the contract, what changed, and the effect on whom. */
export type Break = { readonly where: string; readonly what: string; readonly whom: string };

/** A breaking change in one sentence. */
export function sentence({ where, what, whom }: Break): string {
  return `${where}: ${what}: ${whom}`;
}

const effects: Readonly<Record<Direction, string>> = {
  requests: 'requests that were valid are refused',
  answers: 'clients that rely on it break',
  newEvents: 'consumers park such events',
  oldEvents: 'events of the last release are parked',
};

/** Whether the present release is the one that accepts the values. Then accepting fewer values is a breaking change. */
export function isOnTakingSide(direction: Direction): boolean {
  return direction === 'requests' || direction === 'oldEvents';
}

/** The words for each kind of difference. */
export function wordsFor(tell: Pick<Telling, 'direction' | 'readers' | 'whom'>) {
  const { direction, readers = 'clients' } = tell;
  const whom = tell.whom ?? effects[direction].replace('clients', readers);
  const list = (values: readonly unknown[]) => values.map((value) => `\`${inWords(value)}\``).join(', ');
  return {
    removed: {
      what: 'was removed',
      whom:
        { requests: 'requests that name it are refused', answers: `${readers} that read it break` }[
          direction as string
        ] ?? whom,
    },
    added: {
      what: isOnTakingSide(direction) ? 'is no longer taken' : 'is new where no other members were expected',
      whom,
    },
    default: (from: unknown, to: unknown) => ({
      what: `changed its \`default\` from ${inWords(from)} to ${inWords(to)}`,
      whom: 'requests without it get something else',
    }),
    required: {
      what: isOnTakingSide(direction) ? 'became required' : 'may be absent now',
      whom: direction === 'requests' ? 'requests without it are refused' : whom,
    },
    newAndRequired: {
      what: 'is new and required',
      whom: direction === 'requests' ? 'requests without it are refused' : whom,
    },
    nothing: { what: 'takes nothing: no value fits all that it has to be', whom },
    values: (values: readonly unknown[]) => ({
      what: isOnTakingSide(direction) ? `no longer takes ${list(values)}` : `may be ${list(values)} now`,
      whom: direction === 'answers' ? `${readers} that know only the values listed before break` : whom,
    }),
    listed: (values: readonly unknown[]) => ({
      what: isOnTakingSide(direction)
        ? `takes only ${list(values)} now`
        : `may be other than ${list(values)} now`,
      whom,
    }),
    type: (from: string, to: string) => ({
      what: isOnTakingSide(direction)
        ? `no longer takes ${from}, only ${to}`
        : `may be ${from} now, where it was ${to}`,
      whom,
    }),
    keyword: (name: string, from: unknown, to: unknown) => {
      const [before, after] = isOnTakingSide(direction) ? [from, to] : [to, from];
      return { what: `changed its \`${name}\` from ${inWords(before)} to ${inWords(after)}`, whom };
    },
    closed: {
      what: isOnTakingSide(direction)
        ? 'no longer takes members that are not listed'
        : 'may have members that are not listed now',
      whom,
    },
  };
}

function inWords(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
