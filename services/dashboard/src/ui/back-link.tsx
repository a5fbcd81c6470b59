import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';
import styles from './back-link.module.css';

/** A link from a page to the list that leads to it. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className={styles.back ?? ''}>
      <IconArrowLeft size={14} aria-hidden />
      {children}
    </Link>
  );
}
