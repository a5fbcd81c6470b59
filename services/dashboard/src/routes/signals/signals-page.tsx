import type { Period, SignalStatus, SignalType } from '@sigcast/contracts';
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
import { keysOf, periodWords, statusWords, typeWords } from './signal-words.ts';
import { StatisticsPart } from './statistics-part.tsx';
import { useLiveSignals } from './use-live-signals.ts';

const usualPeriod: Period = '30d';

/** How signals have done, and which there are. What is shown is in the address, so it can be shared and gone back to. */
export default function SignalsPage() {
  const { status, events } = useLiveSignals();
  const live = status === 'live';
  const { id } = useParams<{ id?: string }>();
  const search = useSearch();
  const [path, navigate] = useLocation();
  const filter = readFilter(search);
  const signals = useSignals(filter, { live });
  const period = readPeriod(search);
  const show = (next: SignalFilter) => navigate(`/signals${writeSearch(next, period)}`);
  const narrowed = filter.types.length + filter.statuses.length > 0;
  return (
    <Page title="Signals" actions={<LiveSign status={status} />}>
      <StatisticsPart
        live={live}
        period={period}
        onPeriod={(next) => navigate(path + writeSearch(filter, next))}
      />
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
              const there = path + writeSearch({ ...filter, page: last }, period);
              return signals.isPlaceholderData ? null : <Redirect to={there} replace />;
            }
            return (
              <>
                <Outdated busy={signals.isPlaceholderData}>
                  <SignalTable
                    signals={data}
                    narrowed={narrowed}
                    pathOf={(signal) => `/signals/${signal}${writeSearch(filter, period)}`}
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

function readPeriod(search: string): Period {
  const given = new URLSearchParams(search).get('period');
  return keysOf(periodWords).find((period) => period === given) ?? usualPeriod;
}

function writeSearch({ types, statuses, page }: SignalFilter, period: Period): string {
  const query = [
    ...(period === usualPeriod ? [] : [`period=${period}`]),
    ...(types.length > 0 ? [`type=${types.join(',')}`] : []),
    ...(statuses.length > 0 ? [`status=${statuses.join(',')}`] : []),
    ...(page > 1 ? [`page=${page}`] : []),
  ].join('&');
  return query === '' ? '' : `?${query}`;
}
