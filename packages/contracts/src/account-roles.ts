/** What a person may do in an account, the least first. Each role may do what those before it may. */
export const accountRoles = ['viewer', 'developer', 'owner'] as const;
export type AccountRole = (typeof accountRoles)[number];

/** Whether a role may do what needs another. */
export function mayDo(role: AccountRole, needed: AccountRole): boolean {
  return accountRoles.indexOf(role) >= accountRoles.indexOf(needed);
}
