import type { SignalStatus, SignalType } from '@sigcast/contracts';
import { Redirect, useLocation, useParams, useSearch } from 'wouter';
import { useSignals } from '../../api/queries.ts';
import type { SignalFilter } from '../../api/signal-filter.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { lastPage, Paging } from '../../ui/paging.tsx';
import { LiveSign } from './live-sign.tsx';
import { withEvents } from './live-signals.ts';
import { SignalFilters } from './signal-filters.tsx';
import { SignalPanel } from './signal-panel.tsx';
import { SignalTable } from './signal-table.tsx';
import { keysOf, statusWords, typeWords } from './signal-words.ts';
import { StatisticsPart } from './statistics-part.tsx';
import { useLiveSignals } from './use-live-signals.ts';

/** How signals have done, and which there are. What is shown is in the address, so it can be shared and gone back to. */
export default function SignalsPage() {
  const { status, events } = useLiveSignals();
  const live = status === 'live';
  const { id } = useParams<{ id?: string }>();
  const search = useSearch();
  const [path, navigate] = useLocation();
  const filter = readFilter(search);
  const signals = useSignals(filter, { live });
  const show = (next: SignalFilter) => navigate(`/signals${writeFilter(next)}`);
  const narrowed = filter.types.length + filter.statuses.length > 0;
  return (
    <Page title="Signals" actions={<LiveSign status={status} />}>
      <StatisticsPart live={live} />
      <Section
        title="Latest signals"
        flush
        actions={<SignalFilters filter={filter} onChange={(next) => show({ ...next, page: 1 })} />}
      >
        <Loaded query={signals} lines={8}>
          {(answer) => {
            const { data, meta } = withEvents(answer, events);
            const last = lastPage(meta);
            if (meta.page > last) {
              // Nothing is told of this page but that it is not there.
              const there = path + writeFilter({ ...filter, page: last });
              return signals.isPlaceholderData ? null : <Redirect to={there} replace />;
            }
            return (
              <>
                <Outdated busy={signals.isPlaceholderData}>
                  <SignalTable
                    signals={data}
                    narrowed={narrowed}
                    pathOf={(signal) => `/signals/${signal}${writeFilter(filter)}`}
                  />
                </Outdated>
                <Paging meta={meta} onPage={(page) => show({ ...filter, page })} />
              </>
            );
          }}
        </Loaded>
      </Section>
      <SignalPanel id={id} live={live} onClose={() => show(filter)} />
    </Page>
  );
}

function readFilter(search: string): SignalFilter {
  const query = new URLSearchParams(search);
  const chosen = <K extends string>(name: string, words: Readonly<Record<K, unknown>>): K[] => {
    const given = (query.get(name) ?? '').split(',');
    return keysOf(words).filter((value) => given.includes(value));
  };
  const page = Number(query.get('page') ?? 1);
  return {
    types: chosen<SignalType>('type', typeWords),
    statuses: chosen<SignalStatus>('status', statusWords),
    page: Number.isInteger(page) && page > 0 && page <= 500 ? page : 1,
  };
}

function writeFilter({ types, statuses, page }: SignalFilter): string {
  const query = [
    ...(types.length > 0 ? [`type=${types.join(',')}`] : []),
    ...(statuses.length > 0 ? [`status=${statuses.join(',')}`] : []),
    ...(page > 1 ? [`page=${page}`] : []),
  ].join('&');
  return query === '' ? '' : `?${query}`;
}
