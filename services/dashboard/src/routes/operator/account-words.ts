import type { OperatorAction, OperatorLogEntry } from '@sigcast/contracts';
import { count } from '../../ui/format.ts';

/** What an operator did. */
export const actionWords: Readonly<Record<OperatorAction, string>> = {
  'account.suspend': 'Suspended the account',
  'account.resume': 'Resumed the account',
  'account.plan': 'Changed the plan',
  'account.password': 'Set a new password',
  'account.delete': 'Deleted the account',
  'account.verify': 'Verified the e-mail address',
  'factors.reset': 'Switched off the second factor',
  'operators.add': 'Made the account an operator',
  'operators.remove': 'Removed the account from the operators',
  'plan.set': 'Set the limits of a plan',
  'key.create': 'Created an API key',
  'key.revoke': 'Revoked an API key',
};

/** Who did an action, by e-mail address if it is known. */
export function whoDid({ by }: Pick<OperatorLogEntry, 'by'>): string {
  return by.via === 'command' ? `Command by ${by.user}` : (by.email ?? by.account);
}

/** The value before or after an action, such as `plan free`; empty if there is none. */
export function factWords(facts: OperatorLogEntry['before']): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${wordOf(value)}`)
    .join(', ');
}

function wordOf(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? count(value) : value;
}
