import type { ApiKeyView } from '@sigcast/contracts';
import { Facts } from '../../ui/facts.tsx';
import { Instant } from '../../ui/instant.tsx';
import type { Tone } from '../../ui/tone.ts';

/** What a key opens now. */
export const keyStates: Readonly<
  Record<ApiKeyView['state'], { readonly word: string; readonly tone: Tone }>
> = {
  active: { word: 'Active', tone: 'good' },
  expired: { word: 'Expired', tone: 'neutral' },
  revoked: { word: 'Revoked', tone: 'bad' },
};

/** The parts of a key's text that are kept, and how every key begins: what tells it from others of its name. */
export const visiblePart = ({ first, last }: Pick<ApiKeyView, 'first' | 'last'>) => `sk_…${first}…${last}`;

/** Which key is meant, before something is done to it. */
export function KeyFacts({ apiKey }: { apiKey: ApiKeyView }) {
  return (
    <Facts
      facts={[
        ['Name', apiKey.name],
        ['Key', visiblePart(apiKey)],
        ['Environment', apiKey.environment],
        ['Last used', <LastUsed key="used" apiKey={apiKey} />],
      ]}
    />
  );
}

/** When a key was last used, exact to about a minute. */
export function LastUsed({ apiKey }: { apiKey: ApiKeyView }) {
  return apiKey.last_used_at === null ? 'Never' : <Instant at={apiKey.last_used_at} />;
}
