import { Button, VisuallyHidden } from '@mantine/core';
import type { ApiKeyView } from '@sigcast/contracts';
import { Empty } from '../../ui/empty.tsx';
import { Instant } from '../../ui/instant.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Ends } from './ends.tsx';
import { keyStates, LastUsed, visiblePart } from './key-facts.tsx';
import styles from './profile.module.css';
import { inOrder, successorsOf } from './replaced-keys.ts';

/** The end of a key is shown beside its state if it is at most this far away. */
const soonMs = 14 * 86_400_000;

/** An account's keys, valid ones first. */
export function KeyTable(props: {
  keys: readonly ApiKeyView[];
  onRotate: (key: ApiKeyView) => void;
  onRevoke: (key: ApiKeyView) => void;
}) {
  if (props.keys.length === 0) {
    return <Empty title="No API keys yet">Create an API key to call the API.</Empty>;
  }
  const successors = successorsOf(props.keys);
  const keys = inOrder(props.keys, successors);
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
            <th className={table.medium}>
              <VisuallyHidden>Actions</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              successor={successors.get(key.id)}
              onRotate={props.onRotate}
              onRevoke={props.onRevoke}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = {
  apiKey: ApiKeyView;
  /** The key that has replaced it. */
  successor: ApiKeyView | undefined;
  onRotate: (key: ApiKeyView) => void;
  onRevoke: (key: ApiKeyView) => void;
};

function KeyRow(props: RowProps) {
  const { apiKey } = props;
  const created = <Instant at={apiKey.created_at} />;
  const expires = <Ends at={apiKey.expires_at} />;
  const actions = apiKey.state === 'active' && <KeyActions {...props} />;
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
        <span className={table.insteadOfMedium}>{actions}</span>
      </td>
      <td className={table.medium}>{apiKey.environment}</td>
      <td>
        <KeyState apiKey={apiKey} successor={props.successor} />
      </td>
      <td className={table.wide}>{created}</td>
      <td className={table.wide}>
        <LastUsed apiKey={apiKey} />
      </td>
      <td className={table.medium}>{expires}</td>
      <td className={table.medium}>{actions}</td>
    </tr>
  );
}

function KeyActions({ apiKey, onRotate, onRevoke }: RowProps) {
  const full = `${apiKey.name} ${visiblePart(apiKey)}`;
  return (
    <span className={styles.actions}>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Rotate ${full}`}
        onClick={() => onRotate(apiKey)}
      >
        Rotate
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Revoke ${full}`}
        onClick={() => onRevoke(apiKey)}
      >
        Revoke
      </Button>
    </span>
  );
}

/** Whether a key is valid, until when if it ends soon, and which key has replaced it. */
function KeyState({ apiKey, successor }: { apiKey: ApiKeyView; successor: ApiKeyView | undefined }) {
  const { word, tone } = successor === undefined ? keyStates[apiKey.state] : replaced;
  const endsSoon =
    apiKey.state === 'active' &&
    apiKey.expires_at !== null &&
    Date.parse(apiKey.expires_at) - Date.now() < soonMs;
  return (
    <span className={styles.state}>
      <Tag tone={tone}>{word}</Tag>
      {successor !== undefined && <span className={styles.stateMore}>by …{successor.last}</span>}
      {endsSoon && (
        <span className={styles.stateMore}>
          Expires <Ends at={apiKey.expires_at} />
        </span>
      )}
    </span>
  );
}

const replaced = { word: 'Replaced', tone: 'info' } as const;
