import { useDebouncedValue } from '@mantine/hooks';
import type { CallOptions, Sigcast } from '@sigcast/client';
import { IconActivity, IconBolt, IconWebhook } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { listSignals, queryKeys } from '../api/queries.ts';
import { everySignal, tokenIn } from '../api/signal-filter.ts';
import { useAnswer } from '../api/use-answer.ts';
import { typeWords } from '../routes/signals/signal-words.ts';

/** Of each kind of result. */
export const mostShown = 5;

/** A result of the search. */
export type Found = {
  readonly id: string;
  readonly to: string;
  readonly label: string;
  readonly note?: string;
  readonly icon: ReactNode;
  /** Whether the page's form for a new thing is opened. */
  readonly isNew?: boolean;
};

type Kind = { readonly title: string; readonly found: readonly Found[] };

const nothing: Kind = { title: 'Signals', found: [] };

/**
 * Signals, or the event or the delivery whose identifier is typed. Undefined while the API is asked: what comes below waits
 * for the answer.
 */
export function useFoundByApi(query: string): Kind | undefined {
  const typed = query.trim();
  const [text] = useDebouncedValue(typed, 200);
  const { data, isPending } = useAnswer((api, options) => find(api, text, options), {
    queryKey: [...queryKeys.signals, 'palette', text],
    enabled: text !== '' && text === typed,
  });
  if (typed === '') return nothing;
  if (text !== typed || isPending) return undefined;
  return data ?? nothing;
}

async function find(api: Sigcast, text: string, options: CallOptions): Promise<Kind> {
  const delivery = /^evt_\w+\.(wh_\w+)$/.exec(text);
  if (delivery !== null) {
    const { data } = await api.webhooks.delivery(delivery[1] ?? '', text, options);
    const { event, symbol, created_at: createdAt } = data;
    const to = `/webhooks/${delivery[1]}?delivery=${encodeURIComponent(text)}`;
    const icon = <IconWebhook size={16} stroke={1.6} />;
    const label = symbol === null ? event : `${event} · ${symbol}`;
    return { title: 'Deliveries', found: [{ id: text, to, label, note: createdAt.slice(0, 10), icon }] };
  }
  if (/^evt_\w+$/.test(text)) {
    const { data } = await api.events.get(text, options);
    const label = `${data.event} · ${data.data.token.symbol}`;
    const icon = <IconBolt size={16} stroke={1.6} />;
    const found = { id: text, to: `/events?open=${text}`, label, note: data.timestamp.slice(0, 10), icon };
    return { title: 'Events', found: [found] };
  }
  return { title: 'Signals', found: (await findSignals(api, text, options)).map(foundSignal) };
}

/** The shortest text that is looked for at the beginning of symbols and names: such a look counts as several requests. */
const shortestBeginning = 3;

/** By symbol of all time; where that finds none, as the list of signals finds them. */
async function findSignals(api: Sigcast, text: string, options: CallOptions) {
  if (/^sig_\w+$/.test(text)) return [(await api.signals.get(text, {}, options)).data];
  const { data: ofSymbol } = await api.signals.list({ symbol: text, limit: mostShown }, options);
  if (ofSymbol.length > 0 || text.length < shortestBeginning) return ofSymbol;
  const { data } = await listSignals(api, { ...everySignal, token: tokenIn(text) }, options);
  return data.slice(0, mostShown);
}

type FoundSignal = Awaited<ReturnType<typeof findSignals>>[number];

function foundSignal({ id, token, type, created_at: createdAt }: FoundSignal): Found {
  return {
    id,
    to: `/signals/${id}`,
    label: `${token.symbol} · ${token.name}`,
    note: `${typeWords[type]}, ${createdAt.slice(0, 10)}`,
    icon: <IconActivity size={16} stroke={1.6} />,
  };
}
