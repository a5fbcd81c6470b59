import { type AccountRole, mayDo } from '@sigcast/contracts';
import type { ReactNode } from 'react';
import { useAccount } from '../api/session-context.tsx';

/** What only a role, and those that may do more, can do in the account. Nobody else sees it: the API would refuse it. */
export function ForRole({ needs, children }: { needs: AccountRole; children: ReactNode }) {
  return mayDo(useAccount().role, needs) && children;
}
