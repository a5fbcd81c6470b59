import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { exactTime, logTime } from './format.ts';
import table from './table.module.css';

/** The first cell of a line of a log: when, and what, which opens it. */
export function LogLink({ href, at, what }: { href: string; at: string; what: ReactNode }) {
  return (
    <Link className={table.log ?? ''} href={href}>
      <time dateTime={at} title={exactTime(at)}>
        {logTime(at)}
      </time>{' '}
      <b>{what}</b>
    </Link>
  );
}
