import { type AccountRole, accountRoles } from '@sigcast/contracts';

/** What a role is called. */
export const roleWords: Readonly<Record<AccountRole, string>> = {
  viewer: 'Viewer',
  developer: 'Developer',
  owner: 'Owner',
};

/** What a role may do. */
export const roleMeanings: Readonly<Record<AccountRole, string>> = {
  viewer: 'Can read everything, and change nothing.',
  developer: 'Can read everything, and change keys, webhooks and backtests.',
  owner: 'Can do everything, also invite and remove members.',
};

/** The roles to choose from. */
export const roleChoices = accountRoles.map((value) => ({ value, label: roleWords[value] }));

/** The role of a choice. */
export function roleOf(value: string): AccountRole {
  return accountRoles.find((role) => role === value) ?? 'viewer';
}
