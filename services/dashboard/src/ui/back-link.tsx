import { IconArrowLeft } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import styles from './back-link.module.css';
import { useKeys } from './use-keys.ts';

/**
 * A link from a page to the list that leads to it. Escape goes back, too, by `onEscape` where the way is another one; not from a
 * `form`, which would be lost.
 */
export function BackLink(props: { href: string; onEscape?: () => void; form?: boolean; children: string }) {
  const { href, children } = props;
  const [, navigate] = useLocation();
  useKeys(props.form ? {} : { Escape: props.onEscape ?? (() => navigate(href)) });
  return (
    <Link href={href} className={styles.back ?? ''}>
      <IconArrowLeft size={14} aria-hidden />
      {children}
    </Link>
  );
}
