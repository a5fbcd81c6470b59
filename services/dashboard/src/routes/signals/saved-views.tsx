import { ActionIcon, Button, Popover, Text, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAccount } from '../../api/session-context.tsx';
import styles from './saved-views.module.css';
import { readViews, type View, writeViews } from './views.ts';

/** Named lists of the account holder. `search` is the query of the list that is shown. */
export function SavedViews({ search }: { search: string }) {
  const { id: account } = useAccount();
  const [opened, setOpened] = useState(false);
  const [views, setViews] = useState<readonly View[]>(() => readViews(account));
  const [name, setName] = useState('');
  const keep = (next: readonly View[]) => {
    writeViews(account, next);
    setViews(next);
  };
  const shown = views.find((view) => view.search === search);
  const others = (left: string) => views.filter((view) => view.name !== left);
  const toggle = () => {
    // Another tab may have saved some meanwhile.
    setViews(readViews(account));
    setOpened(!opened);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width={280} trapFocus returnFocus>
      <Popover.Target>
        <Button size="xs" variant="default" maw={220} onClick={toggle}>
          {shown === undefined ? 'Views' : `Views: ${shown.name}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Saved views">
        {views.length > 0 && (
          <ul className={styles.views}>
            {views.map((view) => (
              <li key={view.name}>
                <Link
                  href={`/signals${view.search}`}
                  className={styles.view ?? ''}
                  aria-current={view.search === search ? 'page' : undefined}
                  onClick={() => setOpened(false)}
                >
                  {view.name}
                </Link>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete view ${view.name}`}
                  onClick={() => keep(others(view.name))}
                >
                  <IconX size={14} />
                </ActionIcon>
              </li>
            ))}
          </ul>
        )}
        <form
          className={styles.save}
          onSubmit={(event) => {
            event.preventDefault();
            const chosen = name.trim();
            if (chosen === '') return;
            keep([...others(chosen), { name: chosen, search }]);
            setName('');
          }}
        >
          <TextInput
            size="xs"
            aria-label="Name of the view"
            placeholder="Name"
            maxLength={60}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button size="xs" variant="default" type="submit">
            Save view
          </Button>
        </form>
        <Text size="xs" c="dimmed" mt="xs">
          Filters, order and period, kept in this browser only.
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}
