import { Button, NativeSelect } from '@mantine/core';
import { type AuditAction, type AuditEntryView, auditActions, mayDo } from '@sigcast/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAudit, useAuditExport } from '../../api/audit-queries.ts';
import { useKeys, useWebhooks } from '../../api/queries.ts';
import { useAccount } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { Empty } from '../../ui/empty.tsx';
import { exactTime } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Name } from '../../ui/name.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { saveAs } from '../../ui/save-as.ts';
import { ShowMore } from '../../ui/show-more.tsx';
import table from '../../ui/table.module.css';
import { type Column, Table } from '../../ui/table.tsx';
import { nameOf } from '../webhooks/webhook-words.ts';
import { actorWords, auditWords, programWords } from './audit-words.ts';
import styles from './profile.module.css';
import { SettingsTabs } from './settings-tabs.tsx';

const choices = [
  { value: '', label: 'Everything' },
  ...auditActions.map((value) => ({ value, label: auditWords[value] })),
];

/** What happened to the account: who did what, when and from where. */
export default function AuditPage() {
  if (mayDo(useAccount().role, 'owner')) return <Audit />;
  return (
    <Page title="Activity" tabs={<SettingsTabs />}>
      <Empty title="Only owners see the activity">Ask an owner of this account.</Empty>
    </Page>
  );
}

function Audit() {
  const [action, setAction] = useState<AuditAction>();
  const audit = useAudit(action);
  const exported = useAuditExport(action);
  const save = useAction(async () => saveAs(await exported(), 'sigcast-activity.csv'));
  return (
    <Page
      title="Activity"
      tabs={<SettingsTabs />}
      description="Sign-ins, and changes of keys, webhooks, secrets and passwords. Entries are kept for 90 days."
      actions={
        <Button variant="default" loading={save.pending} onClick={() => void save.run()}>
          Export as CSV
        </Button>
      }
    >
      <Problem problem={save.problem} />
      <Section
        title="Log"
        flush
        actions={
          <NativeSelect
            size="xs"
            aria-label="Show"
            data={choices}
            value={action ?? ''}
            onChange={({ currentTarget: { value } }) =>
              setAction(auditActions.find((known) => known === value))
            }
          />
        }
      >
        <Loaded query={audit}>
          {({ pages }) => (
            <>
              <AuditTable entries={pages.flatMap(({ entries }) => entries)} />
              <ShowMore query={audit} />
            </>
          )}
        </Loaded>
      </Section>
    </Page>
  );
}

function AuditTable({ entries }: { entries: readonly AuditEntryView[] }) {
  const { data: keys = [] } = useKeys();
  const keyNames = new Map(keys.map(({ id, name }) => [id, name]));
  if (entries.length === 0) {
    return <Empty title="Nothing like this happened">Entries are kept for 90 days.</Empty>;
  }
  const columns: readonly Column<AuditEntryView>[] = [
    {
      head: 'What',
      wraps: true,
      cell: ({ action, target }) => (
        <>
          {auditWords[action]} <Target target={target} keyNames={keyNames} />
        </>
      ),
    },
    { head: 'Who', wraps: true, medium: 'By:', cell: (entry) => <Name>{actorWords(entry, keyNames)}</Name> },
    { head: 'From', wraps: true, wide: 'From:', cell: (entry) => <Origin entry={entry} /> },
    {
      head: 'When',
      number: true,
      cell: ({ at }) => (
        <>
          <Instant at={at} />
          <span className={`${table.small} ${styles.exact}`}>{exactTime(at)}</span>
        </>
      ),
    },
  ];
  return <Table label="Activity" rows={entries} keyOf={({ id }) => id} columns={columns} />;
}

/** What was acted on, which its page is linked to while there is one. A session has no name. */
function Target({ target, keyNames }: { target: string | null; keyNames: ReadonlyMap<string, string> }) {
  const { data: webhooks = [] } = useWebhooks();
  if (target === null || target.startsWith('ses_')) return null;
  const webhook = webhooks.find(({ id }) => id === target);
  const keyName = keyNames.get(target);
  if (webhook !== undefined) {
    return (
      <Link href={`/webhooks/${target}`}>
        <bdi>{nameOf(webhook)}</bdi>
      </Link>
    );
  }
  if (keyName !== undefined) {
    return (
      <Link href="/profile/api">
        <bdi>{keyName}</bdi>
      </Link>
    );
  }
  return (
    <span className={`${styles.beside} ${styles.target}`}>
      <bdi>{target}</bdi>
    </span>
  );
}

function Origin({ entry: { address, user_agent: program } }: { entry: AuditEntryView }) {
  if (address === null && program === null) return '–';
  return (
    <span title={program ?? undefined}>
      {address} {program !== null && <span className={styles.beside}>{programWords(program)}</span>}
    </span>
  );
}
