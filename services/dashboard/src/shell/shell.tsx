import { ActionIcon, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMenu2 } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { Logo } from '../ui/logo.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Away } from './away.tsx';
import { Bell } from './bell.tsx';
import { Commands } from './commands.tsx';
import { Limited } from './limited.tsx';
import { Navigation } from './navigation.tsx';
import { elsewhere } from './places.ts';
import styles from './shell.module.css';
import { Viewer } from './viewer.tsx';

/** The frame of every page for somebody signed in: the header, and the navigation at the side, or on a phone in a panel. */
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
      <a className="look-skip" href="#main">
        Skip to the page
      </a>
      <header className={`look-header ${styles.header}`}>
        <Link href="/home" className="look-home">
          <Logo />
        </Link>
        <nav className="look-places" aria-label="Elsewhere">
          {elsewhere.map(({ to, label }) => (
            <a key={to} href={to} target="_blank" rel="noreferrer">
              {label}
            </a>
          ))}
        </nav>
        <div className={styles.aside}>
          <Commands />
          <Bell />
          <AccountMenu />
          <ActionIcon
            className={styles.menu ?? ''}
            variant="subtle"
            color="gray"
            size="lg"
            onClick={open}
            aria-label="Open the menu"
          >
            <IconMenu2 size={20} />
          </ActionIcon>
        </div>
      </header>
      <aside className={styles.side}>
        <div className={styles.sideContent}>
          <Navigation />
        </div>
      </aside>
      <Drawer opened={opened} onClose={close} position="left" size={280} title={<Logo />} padding="md">
        <Navigation onNavigate={close} />
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
