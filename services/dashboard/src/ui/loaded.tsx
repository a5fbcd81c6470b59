import { Alert, Button, Skeleton } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAway } from '../api/connection.ts';
import { ApiError } from '../api/http.ts';
import { problemOf } from '../api/use-action.ts';
import { Empty } from './empty.tsx';
import styles from './loaded.module.css';

/**
 * The data of a query. While it is loading: a placeholder. After a failure: why, and a button to try again, except when the
 * data does not exist.
 */
export function Loaded<T>(props: {
  query: UseQueryResult<T>;
  /** Height of one line of the placeholder, in pixels. */
  lineHeight?: number;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  const { query, lineHeight = 36, lines = 4 } = props;
  const away = useAway();
  const lastError = useLastError(query);
  const error = query.data === undefined ? lastError : query.error;
  if (error instanceof ApiError && error.status === 404) return <NotThere problem={problemOf(error)} />;
  // That the service is away, the page says once, above everything.
  const isUnreachable = error instanceof ApiError && error.status === 0;
  const waits = away || (isUnreachable && query.isFetching);
  if (query.data !== undefined) {
    return (
      <>
        {error !== null && !waits && (
          <FailedQuery problem={`Not up to date: ${problemOf(error)}`} query={query} />
        )}
        {props.children(query.data)}
      </>
    );
  }
  if (error !== null && !waits) return <FailedQuery problem={problemOf(error)} query={query} />;
  return <Loading lines={lines} lineHeight={lineHeight} />;
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

function NotThere({ problem }: { problem: string }) {
  return (
    <div role="alert">
      <Empty title={problem}>Check the address. Somebody may have deleted what was here.</Empty>
    </div>
  );
}

/** Why the query failed. Also shown during the next try: a problem that comes and goes each second can't be read. */
function useLastError<T>({ error, errorUpdateCount }: UseQueryResult<T>): Error | null {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  return error ?? (errorUpdateCount > 0 ? last : null);
}

function FailedQuery<T>({ problem, query }: { problem: string; query: UseQueryResult<T> }) {
  return <Failed problem={problem} busy={query.isFetching} onRetry={() => void query.refetch()} />;
}

/** Why something could not be loaded, and a way to try again. */
export function Failed(props: { problem: string; busy: boolean; onRetry: () => void }) {
  return (
    <div className={styles.problem}>
      <Alert color="red" icon={<IconAlertTriangle />} role="alert">
        <div className={styles.words}>
          {props.problem}
          <Button size="compact-sm" variant="default" loading={props.busy} onClick={props.onRetry}>
            Try again
          </Button>
        </div>
      </Alert>
    </div>
  );
}
