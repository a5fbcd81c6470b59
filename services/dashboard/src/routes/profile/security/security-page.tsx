import { Alert } from '@mantine/core';
import type { FactorsView } from '@sigcast/contracts';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/queries.ts';
import { useAccount, useSession } from '../../../api/session-context.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page, Section, Settings } from '../../../ui/page.tsx';
import { SettingsTabs } from '../settings-tabs.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionSection } from './session-section.tsx';

/** By what the holder of the account signs in, and where the holder is signed in. */
export default function SecurityPage() {
  const session = useSession();
  const { id, person, email, email_verified: isVerified } = useAccount();
  const factors = useQuery({
    queryKey: queryKeys.factors,
    queryFn: async ({ signal }) =>
      (await session.call<FactorsView>('GET', '/account/factors', { signal })).data,
  });
  return (
    <Page title="Security" tabs={<SettingsTabs />}>
      {id === person.id && !isVerified && (
        <Alert color="yellow">
          Confirm {email} in your profile first. Until then, whoever reads its mail can reset your password
          without a code, and the reset removes two-step sign-in and passkeys.
        </Alert>
      )}
      <Settings>
        {factors.data === undefined ? (
          <Section title="Two-step sign-in">
            <Loaded query={factors}>{() => null}</Loaded>
          </Section>
        ) : (
          <>
            <SecondFactorSection totp={factors.data.totp} />
            <PasskeySection passkeys={factors.data.passkeys} host={factors.data.passkey_host} />
          </>
        )}
        <SessionSection />
      </Settings>
    </Page>
  );
}
