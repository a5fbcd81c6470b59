import { Button, VisuallyHidden } from '@mantine/core';
import type { OpenSessionView } from '@sigcast/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../../../api/queries.ts';
import { useSession } from '../../../api/session-context.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { exactTime } from '../../../ui/format.ts';
import { Instant } from '../../../ui/instant.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/page.tsx';
import { Table } from '../../../ui/table.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { tellDone } from '../../../ui/tell-done.ts';
import { deviceWords } from './device-words.ts';
import styles from './security.module.css';

/** Where the holder is signed in. */
export function SessionSection() {
  const session = useSession();
  const queries = useQueryClient();
  const [ending, setEnding] = useState<OpenSessionView | 'others'>();
  const sessions = useQuery({
    queryKey: queryKeys.sessions,
    queryFn: async ({ signal }) =>
      (await session.call<OpenSessionView[]>('GET', '/account/sessions', { signal })).data,
  });
  const close = () => setEnding(undefined);
  const end = async () => {
    const which = ending === 'others' ? '' : `/${ending?.id}`;
    await session.call('DELETE', `/account/sessions${which}`);
    await queries.invalidateQueries({ queryKey: queryKeys.sessions });
    tellDone(ending === 'others' ? 'All other sessions are signed out.' : 'The session is signed out.');
  };
  const others = (sessions.data ?? []).some(({ current }) => !current);
  return (
    <Section
      title="Sessions"
      description="Where you are signed in. If you do not recognize a session, sign it out and change your password."
      actions={
        others && (
          <Button variant="default" onClick={() => setEnding('others')}>
            Sign out everywhere else
          </Button>
        )
      }
      flush
    >
      <Loaded query={sessions}>
        {(open) => (
          <Table
            label="Sessions"
            rows={open}
            keyOf={({ id }) => id}
            inset
            columns={[
              {
                head: 'Device',
                cell: ({ user_agent: agent, current }) => (
                  <>
                    <span className={styles.name}>{deviceWords(agent)}</span>
                    {current && <Tag tone="good">This session</Tag>}
                  </>
                ),
              },
              { head: 'Address', medium: 'Address:', cell: ({ address }) => address ?? 'Unknown' },
              { head: 'Signed in', wide: 'Signed in:', cell: ({ created_at: at }) => exactTime(at) },
              {
                head: 'Last used',
                medium: 'Last used:',
                cell: ({ last_used_at: at }) => <Instant at={at} />,
              },
              {
                head: <VisuallyHidden>Actions</VisuallyHidden>,
                cell: (one) =>
                  !one.current && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`Sign out ${deviceWords(one.user_agent)}`}
                      onClick={() => setEnding(one)}
                    >
                      Sign out
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <Confirm
        opened={ending !== undefined}
        title={ending === 'others' ? 'Sign out everywhere else' : 'Sign out this session'}
        verb="Sign out"
        work={end}
        onClose={close}
      >
        {ending === 'others'
          ? 'Every session but this one ends at once.'
          : `The session of ${deviceWords(ending?.user_agent ?? null)} ends at once.`}
      </Confirm>
    </Section>
  );
}
