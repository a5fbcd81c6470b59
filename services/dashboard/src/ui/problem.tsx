import { Button, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiError, unreachable } from '../api/http.ts';
import { problemOf } from '../api/use-action.ts';
import { ErrorLink } from './error-link.tsx';
import styles from './problem.module.css';
import { useCopy } from './use-copy.ts';

/**
 * What went wrong, if anything did; screen readers say it at once. An error of the API also shows its code, which leads to its
 * explanation, and the id of its request; not where somebody has only to type something else to sign in.
 */
export function Problem(props: {
  problem: unknown;
  /** Instead of the sentence of the error. */
  words?: string | undefined;
  busy?: boolean;
  /** Absent where trying again can't help. */
  onRetry?: (() => void) | undefined;
  /** What else can be done. */
  action?: ReactNode;
}) {
  const { problem, words = problemOf(problem), busy = false, onRetry } = props;
  if (problem === undefined) return null;
  return (
    <div className={styles.problem} role="alert">
      <IconAlertTriangle className={styles.icon} size={16} aria-hidden />
      <div className={styles.words}>
        {words}
        {problem instanceof ApiError && problem.code !== unreachable && problem.status !== 401 && (
          <div className={styles.reference}>
            <ErrorLink code={problem.code} />
            {problem.requestId !== undefined && <RequestId id={problem.requestId} />}
          </div>
        )}
      </div>
      {onRetry !== undefined && (
        <Button size="compact-sm" variant="default" loading={busy} onClick={onRetry}>
          Try again
        </Button>
      )}
      {props.action}
    </div>
  );
}

/** The id of a request, which a click copies. */
function RequestId({ id }: { id: string }) {
  const { copy, copied } = useCopy();
  return (
    <UnstyledButton className={styles.id ?? ''} title="Copy the request id" onClick={() => copy(id)}>
      {copied ? 'Copied' : id}{' '}
      {copied ? <IconCheck size={12} aria-hidden /> : <IconCopy size={12} aria-hidden />}
    </UnstyledButton>
  );
}
