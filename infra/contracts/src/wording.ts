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
function takes(direction: Direction): boolean {
  return direction === 'requests' || direction === 'oldEvents';
}

/** What a change of a schema is called, by who meets it. */
export function wordsFor({ direction, whom = effects[direction] }: Pick<Telling, 'direction' | 'whom'>) {
  const list = (values: readonly unknown[]) => values.map((value) => `\`${String(value)}\``).join(', ');
  return {
    removed: {
      what: 'was removed',
      whom:
        { requests: 'requests that name it are refused', answers: 'clients that read it break' }[
          direction as string
        ] ?? whom,
    },
    required: {
      what: takes(direction) ? 'became required' : 'may be absent now',
      whom: direction === 'requests' ? 'requests without it are refused' : whom,
    },
    newAndRequired: {
      what: 'is new and required',
      whom: direction === 'requests' ? 'requests without it are refused' : whom,
    },
    values: (values: readonly unknown[]) => ({
      what: takes(direction) ? `no longer takes ${list(values)}` : `may be ${list(values)} now`,
      whom: direction === 'answers' ? 'clients that know only the values listed before break' : whom,
    }),
    listed: (values: readonly unknown[]) => ({
      what: takes(direction) ? `takes only ${list(values)} now` : `may be other than ${list(values)} now`,
      whom,
    }),
    type: (from: string, to: string) => ({
      what: takes(direction)
        ? `no longer takes ${from}, only ${to}`
        : `may be ${from} now, where it was ${to}`,
      whom,
    }),
    keyword: (name: string, from: unknown, to: unknown) => {
      const [before, after] = takes(direction) ? [from, to] : [to, from];
      const say = (value: unknown) => (value === undefined ? 'none' : String(value));
      return { what: `changed its \`${name}\` from ${say(before)} to ${say(after)}`, whom };
    },
    closed: { what: 'no longer takes members that are not listed', whom },
  };
}
