import type { HttpHeader } from '@sigcast/contracts';
import styles from './delivery.module.css';

/** HTTP headers as they were on the wire. */
export function HeadersTable({ label, headers }: { label: string; headers: readonly HttpHeader[] }) {
  return (
    <table className={styles.headers} aria-label={label}>
      <tbody>
        {headers.map(({ name, value }, at) => (
          // A header may come twice, with the same value; the list never changes.
          <tr key={at}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
