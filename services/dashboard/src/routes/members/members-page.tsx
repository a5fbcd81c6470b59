import { Button, NativeSelect, VisuallyHidden } from '@mantine/core';
import type { InvitationView, MemberView } from '@sigcast/contracts';
import { useState } from 'react';
import { useTeam, useTeamChanges } from '../../api/member-queries.ts';
import { useAccount } from '../../api/session-context.tsx';
import { useAction } from '../../api/use-action.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Name } from '../../ui/name.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import table from '../../ui/table.module.css';
import { type Column, Table } from '../../ui/table.tsx';
import { tellDone } from '../../ui/tell-done.ts';
import { SettingsTabs } from '../profile/settings-tabs.tsx';
import { InviteMember } from './invite-member.tsx';
import { roleChoices, roleMeanings, roleOf, roleWords } from './member-words.ts';

/** The people who may act for the account. */
export default function MembersPage() {
  const { role } = useAccount();
  const team = useTeam();
  const [inviting, setInviting] = useState(false);
  const isOwner = role === 'owner';
  return (
    <Page
      title="Members"
      tabs={<SettingsTabs />}
      description="Viewers can read. Developers can also change keys, webhooks and backtests. Owners can also manage members. Everyone signs in with their own account."
      actions={isOwner && <Button onClick={() => setInviting(true)}>Invite member</Button>}
    >
      <Loaded query={team}>
        {({ members, invitations }) => (
          <>
            <MemberSection members={members} isOwner={isOwner} />
            {invitations.length > 0 && <InvitationSection invitations={invitations} isOwner={isOwner} />}
          </>
        )}
      </Loaded>
      <InviteMember opened={inviting} onClose={() => setInviting(false)} />
    </Page>
  );
}

function MemberSection({ members, isOwner }: { members: readonly MemberView[]; isOwner: boolean }) {
  const { person } = useAccount();
  const changes = useTeamChanges();
  const [leaving, setLeaving] = useState<MemberView>();
  const change = useAction(changes.changeRole);
  const isMe = ({ id }: MemberView) => id === person.id;
  const columns: readonly Column<MemberView>[] = [
    {
      head: 'Person',
      wraps: true,
      cell: (member) => (
        <span className={table.named}>
          <Name>{member.email}</Name>
          {(isMe(member) || member.founder) && (
            <span className={table.small}>{isMe(member) ? 'You' : 'Founder'}</span>
          )}
        </span>
      ),
    },
    {
      head: 'Role',
      cell: (member) =>
        isOwner && !member.founder && !isMe(member) ? (
          <NativeSelect
            size="xs"
            miw={120}
            aria-label={`Role of ${member.email}`}
            title={roleMeanings[member.role]}
            data={roleChoices}
            value={member.role}
            disabled={change.pending}
            onChange={({ currentTarget: { value } }) => void change.run(member.id, roleOf(value))}
          />
        ) : (
          roleWords[member.role]
        ),
    },
    { head: 'Joined', wide: 'Joined:', cell: ({ joined_at: at }) => <Instant at={at} /> },
    {
      head: <VisuallyHidden>Actions</VisuallyHidden>,
      medium: '',
      cell: (member) =>
        !member.founder &&
        (isOwner || isMe(member)) && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={isMe(member) ? 'Leave the account' : `Remove ${member.email}`}
            onClick={() => setLeaving(member)}
          >
            {isMe(member) ? 'Leave' : 'Remove'}
          </Button>
        ),
    },
  ];
  const remove = async () => {
    if (leaving === undefined) return;
    await (isMe(leaving) ? changes.leave(leaving.id) : changes.remove(leaving.id));
    tellDone(isMe(leaving) ? 'You have left the account.' : 'The member is removed.');
  };
  return (
    <Section title="Members" flush>
      <Problem problem={change.problem} />
      <Table label="Members" rows={members} keyOf={({ id }) => id} columns={columns} />
      <Confirm
        opened={leaving !== undefined}
        title={leaving && isMe(leaving) ? 'Leave this account?' : `Remove ${leaving?.email ?? ''}?`}
        verb={leaving && isMe(leaving) ? 'Leave' : 'Remove member'}
        work={remove}
        onClose={() => setLeaving(undefined)}
      >
        Every further request for this account is refused. API keys stay: revoke those that the person knows.
      </Confirm>
    </Section>
  );
}

function InvitationSection(props: { invitations: readonly InvitationView[]; isOwner: boolean }) {
  const { withdraw } = useTeamChanges();
  const action = useAction(withdraw);
  const columns: readonly Column<InvitationView>[] = [
    { head: 'Address', wraps: true, cell: ({ email }) => <Name>{email}</Name> },
    { head: 'Role', cell: ({ role }) => roleWords[role] },
    { head: 'Valid until', wide: 'Valid until:', cell: ({ expires_at: at }) => <Instant at={at} /> },
    {
      head: <VisuallyHidden>Actions</VisuallyHidden>,
      medium: '',
      cell: ({ id, email }) =>
        props.isOwner && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Withdraw the invitation of ${email}`}
            disabled={action.pending}
            onClick={() => void action.run(id)}
          >
            Withdraw
          </Button>
        ),
    },
  ];
  return (
    <Section title="Invitations" description="Sent, but not accepted yet." flush>
      <Problem problem={action.problem} />
      <Table label="Invitations" rows={props.invitations} keyOf={({ id }) => id} columns={columns} />
    </Section>
  );
}
