import type { OperatorAccount } from '@sigcast/contracts';
import { Tag } from '../../ui/tag.tsx';
import styles from './operator.module.css';

/** What an account may do now. */
const states = {
  active: { word: 'Active', tone: 'good' },
  suspended: { word: 'Suspended', tone: 'bad' },
} as const satisfies Record<OperatorAccount['status'], object>;

/** The status of an account, and whether it is an operator's. */
export function AccountTags({
  account,
}: {
  account: Pick<OperatorAccount, 'status' | 'operator' | 'email_verified'>;
}) {
  const { word, tone } = states[account.status];
  return (
    <span className={styles.tags}>
      <Tag tone={tone}>{word}</Tag>
      {!account.email_verified && <Tag tone="neutral">Unconfirmed</Tag>}
      {account.operator && <Tag tone="info">Operator</Tag>}
    </span>
  );
}
