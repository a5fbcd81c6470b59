import { Button, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useAway } from '../api/connection.ts';
import { ApiError } from '../api/http.ts';
import { problemOf } from '../api/use-action.ts';
import { capitalized } from './format.ts';
import styles from './loaded.module.css';
import { Problem } from './problem.tsx';

/**
 * The data of a query. While it is loading: a placeholder. After a failure: why, and a button to try again, except when the
 * data does not exist.
 */
export function Loaded<T>(props: {
  query: UseQueryResult<T>;
  /** Height of one line of the placeholder, in pixels. */
  lineHeight?: number;
  lines?: number;
  /** Of a table: how many rows the placeholder has below its head. */
  rows?: number;
  /** The list that leads to what does not exist. */
  list?: 'signals' | 'webhooks' | 'backtests';
  children: (data: T) => ReactNode;
}) {
  const { query, lineHeight = 36, lines = 4 } = props;
  const away = useAway();
  const lastError = useLastError(query);
  const error = query.data === undefined ? lastError : query.error;
  if (isMissing({ error })) {
    const words = `${problemOf(error)} Check the address.`;
    const { list } = props;
    const toList = list && (
      <Button component={Link} href={`/${list}`} size="compact-sm" variant="default">
        All {list}
      </Button>
    );
    return <Problem problem={error} words={words} action={toList} />;
  }
  const retry = { busy: query.isFetching, onRetry: () => void query.refetch() };
  // That the service is away, the page says once, above everything.
  const isUnreachable = error instanceof ApiError && error.status === 0;
  const waits = away || (isUnreachable && query.isFetching);
  if (query.data !== undefined) {
    return (
      <>
        {error !== null && !waits && (
          <Problem problem={error} words={`Not up to date: ${problemOf(error)}`} {...retry} />
        )}
        {props.children(query.data)}
      </>
    );
  }
  if (error !== null && !waits) return <Problem problem={error} {...retry} />;
  if (props.rows !== undefined) return <LoadingRows rows={props.rows} />;
  return <Loading lines={lines} lineHeight={lineHeight} />;
}

function isMissing({ error }: Pick<UseQueryResult, 'error'>): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** The heading of a page whose data is not there: yet, or at all. `kind`: what it would be, such as `signal`. */
export function nameWithout(query: Pick<UseQueryResult, 'error'>, kind: string): string {
  return isMissing(query) ? `No such ${kind}` : capitalized(kind);
}

/** A placeholder for data that is loading. */
export function Loading({ lines, lineHeight = 36 }: { lines: number; lineHeight?: number }) {
  return (
    <div className={styles.shape} role="status" aria-label="Loading">
      {[...Array(lines).keys()].map((line) => (
        <Skeleton key={line} height={lineHeight} />
      ))}
    </div>
  );
}

/** A placeholder for a table: its head, and rows of the same height. */
function LoadingRows({ rows }: { rows: number }) {
  return (
    <div className={styles.rows} role="status" aria-label="Loading">
      {[...Array(rows + 1).keys()].map((row) => (
        <div key={row}>
          <Skeleton height={12} />
        </div>
      ))}
    </div>
  );
}

/** Why the query failed. Also shown during the next try: a problem that comes and goes each second can't be read. */
function useLastError<T>({ error, errorUpdateCount }: UseQueryResult<T>): Error | null {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  return error ?? (errorUpdateCount > 0 ? last : null);
}
