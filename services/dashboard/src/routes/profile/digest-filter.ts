import type { ChangeMailSettings, MailSettingsView } from '@sigcast/contracts';

type Digest = NonNullable<MailSettingsView['digest']>;
export type DigestChoice = Digest['every'] | 'off';

/** How often a digest comes. */
export const digestChoices: { readonly value: DigestChoice; readonly label: string }[] = [
  { value: 'off', label: 'Off' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
];

/** A filter as a text to edit. */
export function filterText(filter: Digest['filter']): string {
  return filter === null ? '' : JSON.stringify(filter, null, 2);
}

/** A digest as the API takes it. @throws for a filter that is no JSON object. */
export function digestOf(
  every: DigestChoice,
  text: string,
): NonNullable<ChangeMailSettings['digest']> | null {
  if (every === 'off') return null;
  return { every, filter: text.trim() === '' ? null : parsed(text) };
}

function parsed(text: string): NonNullable<Digest['filter']> {
  let filter: unknown;
  try {
    filter = JSON.parse(text);
  } catch {
    // The same problem.
  }
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw new Error('The filter must be a JSON object, such as {"token.chain":{"eq":"solana"}}');
  }
  return filter as NonNullable<Digest['filter']>;
}
