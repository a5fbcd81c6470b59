import type { ApiKeyView } from '@sigcast/contracts';
import { Facts } from '../../ui/facts.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Name } from '../../ui/name.tsx';
import type { Tone } from '../../ui/tone.ts';
import { limitWords } from './key-limits.ts';
import styles from './profile.module.css';

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
        ['Name', <Name key="name">{apiKey.name}</Name>],
        ['Key', visiblePart(apiKey)],
        ['Environment', apiKey.environment],
        ['Last used', <LastUsed key="used" apiKey={apiKey} />],
        ['Permissions', limitWords(apiKey) || 'Everything'],
      ]}
    />
  );
}

/** When and from which address a key was last used, exact to about a minute. */
export function LastUsed({ apiKey }: { apiKey: ApiKeyView }) {
  const { last_used_at: at, last_used_from: from } = apiKey;
  if (at === null) return 'Never';
  return (
    <>
      <Instant at={at} />
      {from !== null && <span className={styles.usedFrom}> from {from}</span>}
    </>
  );
}
