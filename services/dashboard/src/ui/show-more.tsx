import { Button } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import styles from './show-more.module.css';

/** The button that adds the next page to a list; nothing at the end of the list. */
export function ShowMore<T>({ query }: { query: UseInfiniteQueryResult<T> }) {
  if (!query.hasNextPage) return null;
  return (
    <div className={styles.more}>
      <Button
        size="compact-sm"
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        Show more
      </Button>
    </div>
  );
}
