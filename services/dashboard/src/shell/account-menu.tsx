import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDeviceDesktop, IconLogout, IconMoon, IconSelector, IconSun } from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { useAccount, useSession } from '../api/session-context.tsx';
import { problemOf } from '../api/use-action.ts';
import { ForRole } from '../ui/for-role.tsx';
import { chosenTimeZone, showTimesIn, type TimeZoneChoice } from '../ui/time-zone.ts';
import styles from './account-menu.module.css';
import { accountPlaces, activity, type Place } from './places.ts';

const schemes = [
  { value: 'light', label: 'Light', Icon: IconSun },
  { value: 'dark', label: 'Dark', Icon: IconMoon },
  { value: 'auto', label: 'System', Icon: IconDeviceDesktop },
] as const;

/** Who is signed in, with their settings and the way to sign out. */
export function AccountMenu() {
  const { id, email, plan, person, role, accounts } = useAccount();
  const isOwn = person.id === id;
  const session = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [, navigate] = useLocation();
  const toItem = ({ to, label, Icon }: Place) => (
    <Menu.Item key={to} leftSection={<Icon size={16} />} onClick={() => navigate(to)}>
      {label}
    </Menu.Item>
  );
  const switchAccount = async (to: string) => {
    try {
      await session.switchAccount(to);
    } catch (error) {
      notifications.show({ color: 'red', title: 'Still the same account', message: problemOf(error) });
    }
  };
  const signOut = async () => {
    try {
      await session.signOut();
    } catch (error) {
      notifications.show({ color: 'red', title: 'Still signed in', message: problemOf(error) });
    }
  };
  return (
    <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton className={styles.button ?? ''}>
          <span className={styles.initial} aria-hidden>
            {email.slice(0, 1).toUpperCase()}
          </span>
          <span className={styles.words}>
            <span className={styles.email}>{email}</span>
            <span className={styles.plan}>{isOwn ? `Plan ${plan.name}` : `${person.email}, ${role}`}</span>
          </span>
          <IconSelector size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {accountPlaces.map(toItem)}
        <ForRole needs="owner">{toItem(activity)}</ForRole>
        {accounts.length > 1 && (
          <>
            <Menu.Divider />
            <Menu.Label>Account</Menu.Label>
            <Menu.RadioGroup value={id} onChange={(value) => void switchAccount(value)}>
              {accounts.map((account) => (
                <Menu.RadioItem key={account.id} value={account.id}>
                  {account.email}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </>
        )}
        <Menu.Divider />
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as MantineColorScheme)}
        >
          {schemes.map(({ value, label, Icon }) => (
            <Menu.RadioItem
              key={value}
              value={value}
              rightSection={<Icon size={16} aria-hidden />}
              closeMenuOnClick={false}
            >
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>Times</Menu.Label>
        <Menu.RadioGroup value={chosenTimeZone} onChange={(value) => showTimesIn(value as TimeZoneChoice)}>
          <Menu.RadioItem value="own">Local time</Menu.RadioItem>
          <Menu.RadioItem value="utc">UTC</Menu.RadioItem>
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
