import '@mantine/spotlight/styles.layer.css';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { mayDo } from '@sigcast/contracts';
import { IconBook2, IconFlask, IconKey, IconPlus, IconSearch, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useKeys, useWebhooks } from '../api/queries.ts';
import { useAccount } from '../api/session-context.tsx';
import { useData } from '../api/use-answer.ts';
import { backtestsKey } from '../routes/backtests/backtest-queries.ts';
import { titleOf } from '../routes/backtests/backtest-words.ts';
import { creating } from '../ui/use-creating.ts';
import styles from './commands.module.css';
import { type Found, mostShown, useFoundByApi } from './found-by-api.tsx';
import { accountPlaces, activity, definitions, groups, operatorGroup, type Place } from './places.ts';

const [store, spotlight] = createSpotlight();

/** A section of the documentation, as the gateway lists them: its address, its page, its heading, its text. */
type Section = readonly [path: string, page: string, heading: string, text: string];

/**
 * The search over pages, signals, webhooks, backtests, keys and the documentation. It is open as long as it is rendered.
 * When it is ready (onReady), its field has the focus.
 */
export default function Palette(props: {
  query: string;
  onQueryChange: (query: string) => void;
  onReady: () => void;
  onClose: () => void;
}) {
  const { query } = props;
  const [, navigate] = useLocation();
  useEffect(() => spotlight.open(), []);
  const byApi = useFoundByApi(query);
  const sections = useFoundSections(query);
  const kinds = [
    { title: 'Pages', found: usePlaces(query) },
    { title: 'Actions', found: useActions(query) },
    ...(byApi === undefined ? [] : [byApi]),
    { title: 'Webhooks', found: useFoundWebhooks(query) },
    { title: 'Backtests', found: useFoundBacktests(query) },
    { title: 'API keys', found: useFoundKeys(query) },
    // What the API finds comes above: no result moves.
    { title: 'Documentation', found: byApi === undefined ? [] : sections },
  ].filter(({ found }) => found.length > 0);
  const results = kinds.flatMap(({ found }) => found.map(({ id }) => id)).join(' ');
  useEffect(() => {
    if (query.length > 0 && results.length > 0) chooseFirst();
  }, [query, results]);
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={props.onQueryChange}
      onSpotlightClose={props.onClose}
      shortcut={null}
      lockScroll={false}
      closeOnClickOutside
      centered={false}
      yOffset="12vh"
      overlayProps={{ blur: 0, backgroundOpacity: 0.6 }}
      scrollable
      maxHeight="60vh"
      radius="md"
      attributes={{ content: { 'aria-label': 'Search' } }}
    >
      <Spotlight.Search
        placeholder="Name, symbol, page or identifier"
        aria-label="Search everything"
        leftSection={<IconSearch size={16} aria-hidden />}
        onFocus={({ currentTarget }) => {
          currentTarget.setSelectionRange(query.length, query.length);
          props.onReady();
        }}
      />
      <Spotlight.ActionsList className={styles.list ?? ''}>
        {kinds.map(({ title, found }) => (
          <Spotlight.ActionsGroup key={title} label={title}>
            {found.map(({ id, to, label, note, icon, isNew }) => (
              <Spotlight.Action
                key={id}
                label={label}
                leftSection={<span className={styles.icon}>{icon}</span>}
                rightSection={note === undefined ? undefined : <span className={styles.note}>{note}</span>}
                onClick={() =>
                  to.startsWith('/docs')
                    ? location.assign(to)
                    : navigate(to, { state: isNew ? creating : null })
                }
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {kinds.length === 0 && byApi !== undefined && (
          <Spotlight.Empty>Nothing is called “{query}”.</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** Results come late: Enter opens the first one, unless another one is chosen. */
function chooseFirst(): void {
  const list = document.getElementById(store.getState().listId);
  if (list === null || list.querySelector('[data-selected]') !== null) return;
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected: 0 }));
}

function usePlaces(query: string): Found[] {
  const { operator, role } = useAccount();
  const places: Place[] = [
    ...groups.flatMap((group) => group.places),
    ...accountPlaces,
    ...(role === 'owner' ? [activity] : []),
    definitions,
    ...(operator === true ? operatorGroup.places : []),
  ];
  const found = [...new Map(places.map((place) => [place.to, place])).values()].filter(({ label }) =>
    has(label, query),
  );
  return found.map(({ to, label, Icon }) => ({ id: to, to, label, icon: <Icon size={16} stroke={1.6} /> }));
}

/** What can be made, by somebody whose role allows it. */
const actions = [
  { to: '/webhooks', label: 'Add a webhook' },
  { to: '/profile/api', label: 'Create an API key' },
  { to: '/backtests/new', label: 'New backtest' },
];

function useActions(query: string): Found[] {
  if (!mayDo(useAccount().role, 'developer')) return [];
  return actions
    .filter(({ label }) => has(label, query))
    .map((action) => ({
      ...action,
      id: `new ${action.to}`,
      icon: <IconPlus size={16} stroke={1.6} />,
      isNew: true,
    }));
}

function useFoundWebhooks(query: string): Found[] {
  const { data = [] } = useWebhooks();
  if (query === '') return [];
  const found = data.filter(
    ({ id, url, description }) => id === query.trim() || has(`${url} ${description ?? ''}`, query),
  );
  return found.slice(0, mostShown).map(({ id, url, description }) => ({
    id,
    to: `/webhooks/${id}`,
    label: description ?? url,
    icon: <IconWebhook size={16} stroke={1.6} />,
  }));
}

function useFoundBacktests(query: string): Found[] {
  // An account has no more of them.
  const { data = [] } = useData((api, options) => api.backtests.list({ limit: 100 }, options), {
    queryKey: [...backtestsKey, 'page', 'all'],
    enabled: query !== '',
  });
  if (query === '') return [];
  return data
    .filter((backtest) => backtest.id === query.trim() || has(titleOf(backtest), query))
    .slice(0, mostShown)
    .map((backtest) => ({
      id: backtest.id,
      to: `/backtests/${backtest.id}`,
      label: titleOf(backtest),
      note: backtest.created_at.slice(0, 10),
      icon: <IconFlask size={16} stroke={1.6} />,
    }));
}

function useFoundKeys(query: string): Found[] {
  const { data = [] } = useKeys();
  if (query === '') return [];
  return data
    .filter(({ name }) => has(name, query))
    .slice(0, mostShown)
    .map(({ id, name }) => ({
      id,
      to: '/profile/api',
      label: name,
      icon: <IconKey size={16} stroke={1.6} />,
    }));
}

/** Sections of the documentation whose heading has the text, then those that have it elsewhere. */
function useFoundSections(query: string): Found[] {
  const { data = [] } = useQuery({
    queryKey: ['documentation'],
    queryFn: async ({ signal }) => {
      const answer = await fetch('/docs/search.json', { signal });
      return (await answer.json()) as readonly Section[];
    },
    enabled: query !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (query.trim().length < 2) return [];
  const byHeading = data.filter(([, , heading]) => has(heading, query));
  const byText = data.filter(([, , heading, text]) => !has(heading, query) && has(text, query));
  return [...byHeading, ...byText].slice(0, mostShown).map(([path, page, heading]) => ({
    id: path,
    to: path,
    label: heading,
    note: page,
    icon: <IconBook2 size={16} stroke={1.6} />,
  }));
}

const has = (text: string, query: string) => text.toLowerCase().includes(query.trim().toLowerCase());
