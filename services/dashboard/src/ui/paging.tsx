import { Group, Pagination, Text } from '@mantine/core';
import type { ListMeta } from '@sigcast/contracts';
import { count } from './format.ts';

/** Deeper pages are not to be had by number. */
export const deepestRow = 10_000;

/** The last page that can be had by number, from 1. */
export function lastPage({ total_pages: pages, per_page: size }: ListMeta): number {
  return Math.max(1, Math.min(pages, Math.floor(deepestRow / size)));
}

/** Which part of a list is shown, and the way to the others. `countsTo` is where its count ends; without it, it is exact. */
export function Paging({
  meta,
  countsTo,
  onPage,
}: {
  meta: ListMeta;
  countsTo?: number;
  onPage: (page: number) => void;
}) {
  const { total, page, per_page: size } = meta;
  const pages = lastPage(meta);
  const first = Math.min(total, (page - 1) * size + 1);
  const all = total === countsTo ? `${count(total)} or more` : count(total);
  return (
    <Group justify="space-between" px="lg" py="sm">
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
