import type { FactorsView } from '@sigcast/contracts';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/queries.ts';
import { useSession } from '../../../api/session-context.tsx';
import { BackLink } from '../../../ui/back-link.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { PasskeySection } from './passkey-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';
import { SessionSection } from './session-section.tsx';

/** By what the holder of the account signs in, and where the holder is signed in. */
export default function SecurityPage() {
  const session = useSession();
  const factors = useQuery({
    queryKey: queryKeys.factors,
    queryFn: async ({ signal }) =>
      (await session.call<FactorsView>('GET', '/account/factors', { signal })).data,
  });
  return (
    <Page title="Security" above={<BackLink href="/profile">Profile</BackLink>}>
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
    </Page>
  );
}
