import type { ReactNode } from 'react';
import table from './table.module.css';

/** A name as the API writes it, beside a text. */
export function Mono({ children }: { children: ReactNode }) {
  return <span className={table.mono}>{children}</span>;
}
