import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from 'wouter';
import styles from './back-link.module.css';

/** The way from one thing to the list that it is in. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className={styles.back ?? ''}>
      <IconArrowLeft size={14} aria-hidden />
      {children}
    </Link>
  );
}
