import type { PasskeyView } from '@sigcast/contracts';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { send } from './http.ts';
import type { Session } from './session.ts';

/** Loaded when somebody uses a passkey: no page needs it before. */
const browser = () => import('@simplewebauthn/browser');

/** Signs in by a passkey of this browser, of whichever account. @throws {Error} that says why not. */
export async function signInByPasskey(session: Session): Promise<void> {
  const path = '/account/session/passkey';
  const { data } = await send<{ options: PublicKeyCredentialRequestOptionsJSON }>('POST', `${path}/options`);
  const { startAuthentication } = await browser();
  const credential = await plainly(startAuthentication({ optionsJSON: data.options }));
  await session.signInAt(path, { credential });
}

/** Makes a passkey in this browser for the account that is signed in. @throws {Error} that says why not. */
export async function addPasskey(
  session: Session,
  { password, name, code }: { readonly password: string; readonly name: string; readonly code?: string },
): Promise<void> {
  const { data } = await session.call<{ options: PublicKeyCredentialCreationOptionsJSON }>(
    'POST',
    '/account/passkeys/options',
    { body: { current_password: password, ...(code !== undefined && { code }) } },
  );
  const { startRegistration } = await browser();
  const credential = await plainly(startRegistration({ optionsJSON: data.options }));
  await session.call<PasskeyView>('POST', '/account/passkeys', { body: { name, credential } });
}

/** Browsers say little about what went wrong, so that pages don't learn which passkeys there are. */
async function plainly<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const { name } = cause as Error;
    throw new Error(words[name] ?? 'This browser could not use a passkey.', { cause });
  }
}

const words: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: it was cancelled, took too long, or there is none for this address.',
  InvalidStateError: 'This device has a passkey for your account already.',
};
