import { ActionIcon, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMenu2 } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { Logo } from '../ui/logo.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Away } from './away.tsx';
import { Limited } from './limited.tsx';
import { Navigation } from './navigation.tsx';
import styles from './shell.module.css';

/** What surrounds every page of somebody signed in: at the side, or on a phone in a panel. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  // A signal opens beside the list, which stays where it is.
  const page = path.startsWith('/signals/') ? '/signals' : path;
  const seen = useRef(page);
  // As a browser does for a page: a reader of the screen starts at the top of what is new, or where the address says.
  useEffect(() => {
    if (seen.current === page) return;
    seen.current = page;
    if (location.hash === '') window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [page]);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <aside className={styles.side}>
        <div className={styles.sideContent}>
          <Link href="/" className={styles.home ?? ''}>
            <Logo />
          </Link>
          <Navigation />
          <AccountMenu />
        </div>
      </aside>
      <header className={styles.top}>
        <Link href="/" className={styles.home ?? ''}>
          <Logo />
        </Link>
        <ActionIcon variant="subtle" color="gray" size="lg" onClick={open} aria-label="Open the menu">
          <IconMenu2 size={22} />
        </ActionIcon>
      </header>
      <Drawer opened={opened} onClose={close} position="left" size={280} title={<Logo />} padding="md">
        <div className={styles.panel}>
          <Navigation onNavigate={close} />
          <AccountMenu onNavigate={close} />
        </div>
      </Drawer>
      <main id="main" className={styles.main} ref={main} tabIndex={-1}>
        {children}
      </main>
      <Away />
      <Limited />
    </div>
  );
}
