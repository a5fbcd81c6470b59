import { Button, VisuallyHidden } from '@mantine/core';
import type { ApiKeyView } from '@sigcast/contracts';
import { Empty } from '../../ui/empty.tsx';
import { ForRole } from '../../ui/for-role.tsx';
import { Instant } from '../../ui/instant.tsx';
import { Name } from '../../ui/name.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { Ends } from './ends.tsx';
import { keyStates, LastUsed, visiblePart } from './key-facts.tsx';
import { limitWords } from './key-limits.ts';
import styles from './profile.module.css';
import { inOrder, successorsOf } from './replaced-keys.ts';

/** The end of a key is shown beside its state if it is at most this far away. */
const soonMs = 14 * 86_400_000;

/** An account's keys, valid ones first. */
export function KeyTable(props: {
  keys: readonly ApiKeyView[];
  onEdit: (key: ApiKeyView) => void;
  onRotate: (key: ApiKeyView) => void;
  onRevoke: (key: ApiKeyView) => void;
}) {
  if (props.keys.length === 0) {
    return <Empty title="No API keys yet">Create an API key to call the API.</Empty>;
  }
  const successors = successorsOf(props.keys);
  const keys = inOrder(props.keys, successors);
  const actions = (key: ApiKeyView) =>
    key.state === 'active' && (
      <ForRole needs="developer">
        <KeyActions apiKey={key} onEdit={props.onEdit} onRotate={props.onRotate} onRevoke={props.onRevoke} />
      </ForRole>
    );
  return (
    <Table
      label="API keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Key',
          cell: (key) => (
            <>
              <span className={table.named}>
                <b>
                  <Name>{key.name}</Name>
                </b>
                <span className={table.code}>{visiblePart(key)}</span>
              </span>
              {limitWords(key) !== '' && <span className={styles.keyLimits}>{limitWords(key)}</span>}
            </>
          ),
        },
        { head: 'Environment', medium: '', cell: ({ environment }) => environment },
        { head: 'State', cell: (key) => <KeyState apiKey={key} successor={successors.get(key.id)} /> },
        { head: 'Created', wide: 'Created:', cell: ({ created_at: at }) => <Instant at={at} /> },
        { head: 'Last used', wide: 'Last used:', cell: (key) => <LastUsed apiKey={key} /> },
        { head: 'Expires', medium: 'Expires:', cell: ({ expires_at: at }) => <Ends at={at} /> },
        { head: <VisuallyHidden>Actions</VisuallyHidden>, medium: '', cell: actions },
      ]}
    />
  );
}

function KeyActions(props: {
  apiKey: ApiKeyView;
  onEdit: (key: ApiKeyView) => void;
  onRotate: (key: ApiKeyView) => void;
  onRevoke: (key: ApiKeyView) => void;
}) {
  const { apiKey, onEdit, onRotate, onRevoke } = props;
  const full = `${apiKey.name} ${visiblePart(apiKey)}`;
  return (
    <span className={styles.actions}>
      <Button size="compact-sm" variant="default" aria-label={`Edit ${full}`} onClick={() => onEdit(apiKey)}>
        Edit
      </Button>
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
        className={styles.revoke ?? ''}
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
