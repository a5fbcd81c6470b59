import { useMediaQuery } from '@mantine/hooks';
import type { SignalListItem } from '@sigcast/client';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { useKeys } from '../../ui/use-keys.ts';

/** From 1600 px on. */
const hasRoom = '(min-width: 100em)';

/**
 * The signal that is chosen, by j and k, where it is shown beside its list also by a click and within the list by the arrow
 * keys. Its link has the focus then, so that Enter opens it. Without a choice, the first one is shown, which it stays.
 * The browser's history has the choice, so that somebody who comes back goes on from there.
 */
export function useSelectedSignal(rows: readonly SignalListItem[]) {
  const isWide = useMediaQuery(hasRoom, false, { getInitialValueInEffect: false });
  const list = useRef<HTMLDivElement>(null);
  const [, navigate] = useLocation();
  const [chosen, show] = useState(useHistoryState<{ chosen?: string } | null>()?.chosen);
  const select = (id: string) => {
    show(id);
    navigate(location.pathname + location.search, { replace: true, state: { chosen: id } });
  };
  const at = Math.max(
    0,
    rows.findIndex(({ id }) => id === chosen),
  );
  const selected = isWide ? rows[at] : undefined;
  if (selected !== undefined && selected.id !== chosen) show(selected.id);
  const move = (by: 1 | -1) => {
    // Without a preview, and before a choice, the first one is next.
    const next = rows[chosen === undefined ? 0 : at + by];
    if (next === undefined) return;
    select(next.id);
    list.current?.querySelector<HTMLElement>(`a[href$="/${next.id}"]`)?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined;
    if (by === undefined || selected === undefined) return;
    event.preventDefault();
    move(by);
  };
  return { selected, select, list, onKeyDown };
}
