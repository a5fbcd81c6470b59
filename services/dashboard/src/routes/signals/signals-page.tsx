import { Text } from '@mantine/core';
import type { Period } from '@sigcast/contracts';
import type { ComponentProps } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useSignals } from '../../api/queries.ts';
import {
  isNarrowed,
  mostTop10Share,
  type SignalFilter,
  type SignalPage,
  signalFilterIn,
  signalSearch,
  unknownFilters,
} from '../../api/signal-filter.ts';
import { CalmPlace } from '../../ui/calm-place.tsx';
import { limit } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Outdated } from '../../ui/outdated.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { lastPage, NoSuchPage, Paging } from '../../ui/paging.tsx';
import { useCalmRows } from '../../ui/use-calm-rows.ts';
import { ExportSignals } from './export-signals.tsx';
import { LiveSign } from './live-sign.tsx';
import { withEvents } from './live-signals.ts';
import { SavedViews } from './saved-views.tsx';
import { SignalFilters } from './signal-filters.tsx';
import { SignalPreview } from './signal-preview.tsx';
import { SignalTable } from './signal-table.tsx';
import { keysOf, periodWords } from './signal-words.ts';
import styles from './signals.module.css';
import { StatisticsPart } from './statistics-part.tsx';
import { useLiveSignals } from './use-live-signals.ts';
import { useSelectedSignal } from './use-selected-signal.ts';

const usualPeriod: Period = '30d';

/** The performance of signals, and their list. The filters are in the address, so that the page can be shared. */
export default function SignalsPage() {
  const { stream, events } = useLiveSignals();
  const live = stream.status === 'live';
  const search = useSearch();
  const [, navigate] = useLocation();
  const filter = signalFilterIn(search);
  const unknown = unknownFilters(search);
  const signals = useSignals(filter, { live });
  const period = readPeriod(search);
  const pathTo = (next: SignalFilter, of = period) => `/signals${searchOf(next, of)}`;
  const show = (next: SignalFilter, options?: { replace: boolean }) => navigate(pathTo(next), options);
  return (
    <Page title="Signals" actions={<LiveSign stream={stream} figuresAtMs={signals.dataUpdatedAt} />}>
      <StatisticsPart
        live={live}
        filter={filter}
        period={period}
        onPeriod={(next) => navigate(pathTo(filter, next))}
      />
      <Section
        title={isNarrowed(filter) ? 'Matches' : filter.sort === null ? 'All signals' : 'Highest first'}
        flush
        actions={
          <>
            <SavedViews search={searchOf({ ...filter, page: 1 }, period)} />
            <ExportSignals list={signals.data} />
          </>
        }
      >
        <SignalFilters filter={filter} onChange={show} />
        {unknown.length > 0 && (
          <Text size="sm" c="var(--loss)" px="md" pb="sm" role="status">
            Not a filter of this list, so ignored: {unknown.join(', ')}
          </Text>
        )}
        <Loaded query={signals} rows={20}>
          {(answer) => {
            const { data, meta } = withEvents(answer, events);
            if (meta.page > lastPage(meta)) {
              return <NoSuchPage meta={meta} hrefOf={(page) => pathTo({ ...filter, page })} />;
            }
            const notes = [symbolNote(answer), riskNote(filter)].filter((note) => note !== undefined);
            return (
              <>
                {notes.map((note) => (
                  <Text key={note} size="sm" c="dimmed" px="md" pb="xs">
                    {note}
                  </Text>
                ))}
                <Outdated busy={signals.isPlaceholderData}>
                  <List
                    list={JSON.stringify(answer.filter)}
                    signals={data}
                    filter={filter}
                    search={searchOf(filter, period)}
                    onSort={(sort) => show({ ...filter, sort, page: 1 })}
                  />
                </Outdated>
                <Paging meta={meta} onPage={(page) => show({ ...filter, page })} />
              </>
            );
          }}
        </Loaded>
      </Section>
    </Page>
  );
}

type ListProps = Omit<ComponentProps<typeof SignalTable>, 'from' | 'selected' | 'onSelect'>;

/** The table, whose rows keep their places while they are read, and where there is room the selected signal beside it. */
function List({ list: name, search, ...table }: ListProps & { list: string; search: string }) {
  const { rows, ...calm } = useCalmRows(table.signals, name);
  const { selected, select, list, onKeyDown } = useSelectedSignal(rows);
  const from = { list: search, ids: rows.map(({ id }) => id) };
  return (
    <div className={selected && styles.beside}>
      <CalmPlace ref={list} calm={calm} kind="new signal" onKeyDown={onKeyDown}>
        <SignalTable {...table} signals={rows} from={from} selected={selected?.id} onSelect={select} />
      </CalmPlace>
      {selected && <SignalPreview signal={selected} from={from} />}
    </div>
  );
}

function readPeriod(search: string): Period {
  const given = new URLSearchParams(search).get('period');
  return keysOf(periodWords).find((period) => period === given) ?? usualPeriod;
}

/** The query of the page's address for these choices. */
function searchOf(filter: SignalFilter, period: Period): string {
  const parts = [period === usualPeriod ? '' : `period=${period}`, signalSearch(filter)];
  const query = parts.filter((part) => part !== '').join('&');
  return query === '' ? '' : `?${query}`;
}

/** Says where beginnings could not be searched. */
function symbolNote({ query }: SignalPage): string | undefined {
  return query.symbol === undefined
    ? undefined
    : 'Only whole symbols are found: there are too many signals of these days to search for beginnings.';
}

/** Says what the filter of risks leaves out. */
function riskNote({ risks }: SignalFilter): string | undefined {
  if (risks === null) return undefined;
  const known = risks === 'none-known' ? ' Unknown risks are not excluded.' : '';
  return `Not listed: tokens that can be minted or frozen, honeypots, and tokens with more than ${limit(mostTop10Share * 100)} held by the ten largest holders.${known}`;
}
