import type { SignalListItem } from '@sigcast/contracts';
import { type Block, type Content, type Link, type Row, shownInstant } from './content.ts';
import type { Digest } from './settings.ts';

/** What a digest shows of a signal. */
export type DigestSignal = Pick<SignalListItem, 'id' | 'type' | 'metrics' | 'performance'> & {
  readonly token: Pick<SignalListItem['token'], 'symbol' | 'name' | 'chain'>;
};

/** The signals of a period: after `since`, up to `until`. */
export type DigestValues = {
  readonly every: Digest['every'];
  readonly since: string;
  readonly until: string;
  readonly total: number;
  readonly newest: readonly DigestSignal[];
  readonly best: readonly DigestSignal[];
  /** Why there is no list; null where there is one. */
  readonly refused: string | null;
};

/** Lists the signals of a period. */
export function digestMail(values: DigestValues, link: Link): Content {
  const { every, total, newest, best, refused } = values;
  const period = `from ${shownInstant(values.since)} to ${shownInstant(values.until)}`;
  const change = { link: 'Change the filter', to: link('/profile') };
  if (refused !== null) {
    return {
      subject: `Your ${every} digest could not be made`,
      blocks: [`The signals ${period} could not be listed: ${refused}.`, change],
    };
  }
  const rowsOf = (title: string, signals: readonly DigestSignal[]): readonly Block[] =>
    signals.length === 0 ? [] : [title, { rows: signals.map((signal) => rowOf(signal, link)) }];
  const signals = total === 1 ? '1 signal' : `${total.toLocaleString('en')} signals`;
  return {
    subject: `${signals} in your ${every} digest`,
    blocks: [
      `${signals} ${period}.`,
      ...rowsOf('Newest', newest),
      ...rowsOf('Highest so far', best),
      { link: 'All signals', to: link('/signals') },
      change,
    ],
  };
}

function rowOf({ id, token, type, metrics, performance }: DigestSignal, link: Link): Row {
  return {
    cells: [
      `${token.symbol} (${token.name})`,
      token.chain,
      type,
      `market cap at entry $${metrics.mcap_entry.toLocaleString('en')}`,
      `liquidity $${metrics.liquidity.toLocaleString('en')}`,
      `highest ${performance.ath_roi.toLocaleString('en')} %`,
      performance.status,
    ],
    to: link(`/signals/${id}`),
  };
}
