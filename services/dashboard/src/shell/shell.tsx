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
import { Viewer } from './viewer.tsx';

/** The frame of every page for somebody signed in, with the navigation at the side, or on a phone in a panel. */
export function Shell({ children }: { children: ReactNode }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const seen = useRef(path);
  const turnedTo = useRef<string>(undefined);
  useEffect(() => {
    const onTurn = () => {
      turnedTo.current = location.pathname;
    };
    // Before the page changes.
    window.addEventListener('popstate', onTurn, { capture: true });
    return () => window.removeEventListener('popstate', onTurn, { capture: true });
  }, []);
  // As a browser does when it loads a page: a screen reader starts at the top of the new page, or at the place that the address
  // names. For somebody who goes back, the browser restores the place.
  useEffect(() => {
    const isTurned = turnedTo.current === path;
    turnedTo.current = undefined;
    if (seen.current === path) return;
    seen.current = path;
    if (location.hash === '' && !isTurned) window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [path]);
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
        <Viewer />
        {children}
      </main>
      <Away />
      <Limited />
    </div>
  );
}
