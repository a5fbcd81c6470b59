/**
 * Who meets a change: clients whose `requests` were written for the last release, clients that read our `answers`,
 * consumers that read our `newEvents`, and our consumers, which read `oldEvents` of the last release.
 */
export type Direction = 'requests' | 'answers' | 'newEvents' | 'oldEvents';

/** How a comparison tells what it finds. */
export type Telling = {
  readonly direction: Direction;
  /** The part of a contract, which begins each sentence. */
  readonly where: string;
  /** What a member is called there; the path of the whole is empty. */
  readonly called: (path: string) => string;
  /** Who reads what is sent, where that is not a client. */
  readonly readers?: 'receivers';
  /** What becomes of whom, where that is always the same. */
  readonly whom?: string;
};

/** A change that breaks somebody. */
export type Break = { readonly where: string; readonly what: string; readonly whom: string };

/** @returns one sentence: where, what was changed, and what that does to whom. */
export function sentence({ where, what, whom }: Break): string {
  return `${where}: ${what}: ${whom}`;
}

const effects: Readonly<Record<Direction, string>> = {
  requests: 'requests that were valid are refused',
  answers: 'clients that rely on it break',
  newEvents: 'consumers park such events',
  oldEvents: 'events of the last release are parked',
};

/** Whether the present release is on the taking side, so that what it does not take any more breaks somebody. */
export function isOnTakingSide(direction: Direction): boolean {
  return direction === 'requests' || direction === 'oldEvents';
}

/** What a change of a schema is called, by who meets it. */
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
