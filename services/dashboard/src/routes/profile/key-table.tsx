import { Button } from '@mantine/core';
import type { ApiKeyView } from '@sigcast/contracts';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import type { Tone } from '../../ui/tone.ts';
import { LastUsed, visiblePart } from './key-facts.tsx';
import styles from './profile.module.css';
import { replacedKeys } from './replaced-keys.ts';

const states: Readonly<Record<ApiKeyView['state'], { readonly word: string; readonly tone: Tone }>> = {
  active: { word: 'Active', tone: 'good' },
  expired: { word: 'Expired', tone: 'neutral' },
  revoked: { word: 'Revoked', tone: 'bad' },
};

/** An account's keys, those that open something first. */
export function KeyTable(props: {
  keys: readonly ApiKeyView[];
  onRotate: (key: ApiKeyView) => void;
  onRevoke: (key: ApiKeyView) => void;
}) {
  if (props.keys.length === 0) {
    return <Empty title="No keys yet">Create one to call the API.</Empty>;
  }
  const replaced = replacedKeys(props.keys);
  const order = Object.keys(states);
  const keys = [...props.keys].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="API keys">
        <thead>
          <tr>
            <th>Key</th>
            <th className={table.medium}>Environment</th>
            <th>State</th>
            <th className={table.wide}>Created</th>
            <th className={table.wide}>Last used</th>
            <th className={table.medium}>Expires</th>
            <th aria-label="What can be done" />
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              replaced={replaced.has(key.id)}
              onRotate={props.onRotate}
              onRevoke={props.onRevoke}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KeyRow(props: {
  apiKey: ApiKeyView;
  replaced: boolean;
  onRotate: (key: ApiKeyView) => void;
  onRevoke: (key: ApiKeyView) => void;
}) {
  const { apiKey } = props;
  const state = states[apiKey.state];
  const created = <Instant at={apiKey.created_at} />;
  const expires = apiKey.expires_at === null ? 'Never' : <Instant at={apiKey.expires_at} />;
  const full = `${apiKey.name} ${visiblePart(apiKey)}`;
  return (
    <tr>
      <td>
        <span className={styles.key}>
          <span className={styles.keyName}>{apiKey.name}</span>
          <span className={styles.keyText}>{visiblePart(apiKey)}</span>
        </span>
        <span className={table.insteadOfMedium}>{apiKey.environment}</span>
        <span className={table.insteadOfMedium}>Expires: {expires}</span>
        <span className={table.insteadOfWide}>Created: {created}</span>
        <span className={table.insteadOfWide}>
          Last used: <LastUsed apiKey={apiKey} />
        </span>
      </td>
      <td className={table.medium}>{apiKey.environment}</td>
      <td>
        {props.replaced ? (
          <Tag tone="info">
            <span>
              Replaced<span className={table.medium}>, ends {expires}</span>
            </span>
          </Tag>
        ) : (
          <Tag tone={state.tone}>{state.word}</Tag>
        )}
      </td>
      <td className={table.wide}>{created}</td>
      <td className={table.wide}>
        <LastUsed apiKey={apiKey} />
      </td>
      <td className={table.medium}>{expires}</td>
      <td>
        {apiKey.state === 'active' && (
          <div className={styles.actions}>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Rotate ${full}`}
              onClick={() => props.onRotate(apiKey)}
            >
              Rotate
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Revoke ${full}`}
              onClick={() => props.onRevoke(apiKey)}
            >
              Revoke
            </Button>
          </div>
        )}
      </td>
    </tr>
  );
}
