import type { AccountChoice, AccountRole, TeamView } from '@sigcast/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from './session-context.tsx';

const queryKey = ['members'];

/** Who may act for the account, and who is invited. */
export function useTeam() {
  const session = useSession();
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await session.call<TeamView>('GET', '/account/members', { signal })).data,
  });
}

/** Whose account an invitation is for, and the role in it. */
export function useInvitation(token: string) {
  const session = useSession();
  return useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => {
      const body = { token };
      return (await session.call<AccountChoice>('POST', '/account/invitations/read', { body })).data;
    },
  });
}

/** What owners do with members and invitations. Each reads the list again. */
export function useTeamChanges() {
  const session = useSession();
  const queries = useQueryClient();
  const changed = () => queries.invalidateQueries({ queryKey });
  return {
    invite: async (body: { email: string; role: AccountRole }) => {
      await session.call('POST', '/account/members/invitations', { body });
      await changed();
    },
    withdraw: async (id: string) => {
      await session.call('DELETE', `/account/members/invitations/${id}`);
      await changed();
    },
    changeRole: async (id: string, role: AccountRole) => {
      await session.call('PATCH', `/account/members/${id}`, { body: { role } });
      await changed();
    },
    remove: async (id: string) => {
      await session.call('DELETE', `/account/members/${id}`);
      await changed();
    },
    /** Leaves the account that is acted for. The session goes on with the person's own. */
    leave: async (id: string) => {
      await session.call('DELETE', `/account/members/${id}`);
      await session.start();
    },
  };
}
