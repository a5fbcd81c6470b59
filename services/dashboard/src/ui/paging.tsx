import { Anchor, Group, Pagination, Text } from '@mantine/core';
import type { ListMeta } from '@sigcast/client';
import { Link } from 'wouter';
import { deepestRow } from '../api/page-number.ts';
import { Empty } from './empty.tsx';
import { count } from './format.ts';

/** The number of the last page that the API gives, from 1. */
export function lastPage({ total_pages: pages, per_page: size }: ListMeta): number {
  return Math.max(1, Math.min(pages, Math.floor(deepestRow / size)));
}

/** Instead of a page of a list that has no such page: leads to the last one. */
export function NoSuchPage({ meta, hrefOf }: { meta: ListMeta; hrefOf: (page: number) => string }) {
  const last = lastPage(meta);
  return (
    <Empty title="This list has no such page">
      <Anchor component={Link} href={hrefOf(last)}>
        Go to page {count(last)}, the last one
      </Anchor>
    </Empty>
  );
}

/**
 * Says which part of a list is shown, and leads to the other pages.
 * @param countsTo where the API stops counting: that total is shown as "or more". Without it, every total is exact.
 */
export function Paging(props: { meta: ListMeta; countsTo?: number; onPage: (page: number) => void }) {
  const { meta, countsTo, onPage } = props;
  const { total, page, per_page: size } = meta;
  const pages = lastPage(meta);
  const first = Math.min(total, (page - 1) * size + 1);
  const all = total === countsTo ? `${count(total)} or more` : count(total);
  return (
    <Group justify="space-between" px="md" py="sm">
      <Text size="sm" c="dimmed">
        {total === 0 ? 'None' : `${count(first)}–${count(Math.min(total, page * size))} of ${all}`}
      </Text>
      {pages > 1 && (
        <Pagination
          size="sm"
          total={pages}
          value={page}
          onChange={onPage}
          siblings={0}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  );
}
