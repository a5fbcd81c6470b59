import type { ApiKeyView, LoggedRequest } from '@sigcast/contracts';
import { Link } from 'wouter';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { milliseconds } from '../../ui/format.ts';
import { Instant } from '../../ui/instant.tsx';
import { Name } from '../../ui/name.tsx';
import table from '../../ui/table.module.css';
import { Table } from '../../ui/table.tsx';
import { Tag } from '../../ui/tag.tsx';
import { keyName, statusTone } from './request-words.ts';
import styles from './requests.module.css';

/** Requests; each row opens its request. */
export function RequestTable(props: {
  requests: readonly LoggedRequest[];
  keys: readonly ApiKeyView[];
  hrefOf: (request: LoggedRequest) => string;
}) {
  return (
    <Table
      label="Requests"
      rows={props.requests}
      keyOf={({ request_id: id, at, latency_ms: ms }) => `${id} ${at} ${ms}`}
      opens
      columns={[
        {
          head: 'Request',
          wraps: true,
          cell: (request) => (
            <Link className={table.event ?? ''} href={props.hrefOf(request)}>
              {request.method} {request.route ?? 'unknown path'}
            </Link>
          ),
        },
        {
          head: 'Status',
          cell: ({ status }) => <Tag tone={statusTone(status)}>{status}</Tag>,
        },
        { head: 'Error', medium: '', cell: ({ code }) => code ?? '' },
        {
          head: 'Key',
          wide: 'Key:',
          wraps: true,
          cell: ({ key }) => <Name>{keyName(key, props.keys)}</Name>,
        },
        {
          head: 'Request id',
          wide: true,
          cell: ({ request_id: id }) => (
            <span className={styles.id}>
              <span className={table.code}>{shortId(id)}</span>
              <CopyIcon text={id} name="request id" />
            </span>
          ),
        },
        { head: 'Latency', number: true, medium: true, cell: ({ latency_ms: ms }) => milliseconds(ms) },
        { head: 'Time', number: true, cell: ({ at }) => <Instant at={at} /> },
      ]}
    />
  );
}

/** The beginning of an id, which is enough to tell requests apart. */
function shortId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 15)}…`;
}
