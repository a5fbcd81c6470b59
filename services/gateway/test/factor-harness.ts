import { Secret, TOTP } from 'otpauth';
import { type Browser, goodPassword } from './account-harness.ts';

/** An authenticator app, whose clock its gateways share: each code is of a step of its own. */
export class Phone {
  #aheadMs = 0;

  /** The clock of gateways. */
  readonly clock = () => Date.now() + this.#aheadMs;

  /** The code of a step that no code was asked of before. */
  next(seed: string): string {
    this.#aheadMs += 30_000;
    return this.at(seed, 0);
  }

  /** The code of a step some steps from now. */
  at(seed: string, steps: number): string {
    const timestamp = this.clock() + steps * 30_000;
    return new TOTP({ secret: Secret.fromBase32(seed) }).generate({ timestamp });
  }
}

export const password = { current_password: goodPassword };

/** Switches the second factor on. */
export async function switchOn(browser: Browser, phone: Phone) {
  const begun = await browser.send('POST', '/account/totp', password);
  const seed = String(begun.body.data?.secret);
  const code = phone.next(seed);
  const on = await browser.send('POST', '/account/totp/confirm', { code });
  if (on.status !== 200) throw new Error(JSON.stringify(on.body));
  return { seed, code, uri: String(begun.body.data?.uri), codes: on.body.data?.recovery_codes as string[] };
}

/** Signs in with the right password. */
export function signIn(browser: Browser, email: string, code?: string) {
  const body = { email, password: goodPassword, ...(code !== undefined && { code }) };
  return browser.send('POST', '/account/session', body);
}
