import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconDeviceDesktop,
  IconHistory,
  IconKey,
  IconLogout,
  IconMoon,
  IconSelector,
  IconShieldLock,
  IconSun,
  IconUser,
  IconUsers,
} from '@tabler/icons-react';
import { useLocation } from 'wouter';
import { useAccount, useSession } from '../api/session-context.tsx';
import { problemOf } from '../api/use-action.ts';
import { ForRole } from '../ui/for-role.tsx';
import styles from './account-menu.module.css';

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
  const go = (to: string) => () => navigate(to);
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
        <Menu.Item leftSection={<IconUser size={16} />} onClick={go('/profile')}>
          Profile
        </Menu.Item>
        <Menu.Item leftSection={<IconKey size={16} />} onClick={go('/profile/api')}>
          API settings
        </Menu.Item>
        <Menu.Item leftSection={<IconUsers size={16} />} onClick={go('/profile/members')}>
          Members
        </Menu.Item>
        <Menu.Item leftSection={<IconShieldLock size={16} />} onClick={go('/profile/security')}>
          Security
        </Menu.Item>
        <ForRole needs="owner">
          <Menu.Item leftSection={<IconHistory size={16} />} onClick={go('/profile/audit')}>
            Activity
          </Menu.Item>
        </ForRole>
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
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
