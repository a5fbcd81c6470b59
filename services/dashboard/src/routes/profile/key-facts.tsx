import type { ApiKeyView } from '@sigcast/contracts';
import { Facts } from '../../ui/facts.tsx';
import { Instant } from '../../ui/instant.tsx';
import type { Tone } from '../../ui/tone.ts';

/** The state of a key. */
export const keyStates: Readonly<
  Record<ApiKeyView['state'], { readonly word: string; readonly tone: Tone }>
> = {
  active: { word: 'Active', tone: 'good' },
  expired: { word: 'Expired', tone: 'neutral' },
  revoked: { word: 'Revoked', tone: 'bad' },
};

/** A key as it is shown: how all keys begin, and the stored characters that tell it from others of its name. */
export const visiblePart = ({ first, last }: Pick<ApiKeyView, 'first' | 'last'>) => `sk_…${first}…${last}`;

/** The facts by which somebody recognizes a key before an action on it. */
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
