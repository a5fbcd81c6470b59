import { type AccountRole, accountRoles } from '@sigcast/contracts';

/** What a role may do. */
export const roleWords: Readonly<Record<AccountRole, string>> = {
  viewer: 'Viewer',
  developer: 'Developer',
  owner: 'Owner',
};

/** The roles to choose from. */
export const roleChoices = accountRoles.map((value) => ({ value, label: roleWords[value] }));

/** The role of a choice. */
export function roleOf(value: string): AccountRole {
  return accountRoles.find((role) => role === value) ?? 'viewer';
}
