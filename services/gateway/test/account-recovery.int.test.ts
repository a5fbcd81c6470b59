import { signUpAudience, unavailable } from '@sigcast/contracts';
import { identitySigner } from '@sigcast/http';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { lettersOfKind } from '../src/domain/mail/sending.ts';
import { Throttle } from '../src/domain/throttle.ts';
import {
  lettersByAccount,
  lettersByNetwork,
  resetByNetwork,
  wrongCodeByAccountAndDay,
} from '../src/routes/account/rules.ts';
import { MongoAccounts } from '../src/store/accounts.ts';
import { MongoSecondFactors } from '../src/store/second-factors.ts';
import { Browser, freshEmail, goodPassword, keyOf, signedUp } from './account-harness.ts';
import { ask, freshAddress } from './ask.ts';
import { Phone, switchOn } from './factor-harness.ts';
import { World } from './harness.ts';
import { linkIn, mailTo, textOf } from './mail-links.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { okAnswer } from './scripted-upstream.ts';
import { atSecondLook } from './second-look.ts';

let world: World;
let server: MailServer;
/** Signs up at once, and with a confirmation. */
let gateway: string;
let confirming: string;

/** Settings with which a gateway sends mail. */
const mailing = () => ({
  SMTP_URL: server.url,
  PUBLIC_URL: 'http://api.example.com',
  MAIL_FROM: 'mail@example.com',
});

beforeAll(async () => {
  server = await startMailServer();
  world = await World.start();
  [gateway, confirming] = await Promise.all([
    world.gateway({ env: { ...mailing(), CONFIRM_SIGN_UPS: 'false' } }),
    world.gateway({ env: mailing() }),
  ]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const newPassword = 'a wholly different one';
const subjects = {
  signUp: 'Create your account',
  known: 'You have an account already',
  reset: 'Reset your password',
  confirm: 'Confirm your e-mail address',
  taken: 'This e-mail address has an account already',
  wasReset: 'Your password was reset',
  invited: 'You are invited to an account',
  moved: 'The e-mail address of your account was changed',
};

/** A holder whose address is confirmed. */
async function verified() {
  const holder = await signedUp(gateway);
  await world.accounts.verify(holder.id);
  return holder;
}

/** Asks for a mail to reset a password, and takes the token out of it. */
async function resetToken(email: string, count = 1): Promise<string> {
  const answer = await new Browser(gateway).send('POST', '/account/password/reset-request', { email });
  expect(answer.status).toBe(202);
  return linkIn(await mailTo(server, { to: email, subject: subjects.reset, count })).token;
}

const reset = (token: string, more: object = {}, browser = new Browser(gateway)) =>
  browser.send('POST', '/account/password/reset', { token, password: newPassword, ...more });
const signIn = (email: string, password: string, browser = new Browser(gateway)) =>
  browser.send('POST', '/account/session', { email, password });
const fieldOf = ({ body }: Awaited<ReturnType<Browser['send']>>) => body.error?.details?.[0]?.field;

describe('signing up where addresses are confirmed', () => {
  const signUp = (email: string) => new Browser(confirming).send('POST', '/account', { email });

  it('takes the address alone; the link in the mail leads to an account with a confirmed address, once', async () => {
    const email = freshEmail();
    expect((await new Browser(confirming).send('GET', '/account/entry')).body.data).toEqual({
      confirms_sign_ups: true,
      sends_mail: true,
      plan: expect.objectContaining({ requests_per_minute: 60, webhooks: 20 }),
    });
    expect((await signUp(` ${email.toUpperCase()}`)).body.data).toEqual({ email });
    const { page, token } = linkIn(await mailTo(server, { to: email, subject: subjects.signUp }));
    expect(page).toBe('/sign-up/confirm');
    const browser = new Browser(confirming);
    const made = await browser.send('POST', '/account/sign-up/confirm', { token, password: goodPassword });
    expect(made.status).toBe(201);
    expect((await browser.send('GET', '/account')).body.data).toMatchObject({ email, email_verified: true });
    expect((await signIn(email, goodPassword)).status).toBe(200);
    const again = await browser.send('POST', '/account/sign-up/confirm', { token, password: newPassword });
    expect(again.body.error?.code).toBe('CONFLICT');
  });

  it('answers a known address as an unknown one, and tells its owner by mail', async () => {
    const { email } = await verified();
    const [known, unknown] = await Promise.all([signUp(email), signUp(freshEmail())]);
    expect(known.status).toBe(202);
    expect(unknown.status).toBe(202);
    expect(known.body).toEqual({ success: true, data: { email } });
    const mail = await mailTo(server, { to: email, subject: subjects.known });
    expect(textOf(mail)).not.toContain('token');
    // Without a link there is no account, whoever asks.
    expect((await signIn(unknown.body.data?.email as string, goodPassword)).status).toBe(401);
  });

  it('is not possible with the link of another kind of mail, one that was changed, or one that is too old', async () => {
    const { email } = await verified();
    const sign = identitySigner('gateway', world.identityKeys.privateKey, signUpAudience);
    const old = sign({ subject: freshEmail(), scopes: [], ttlS: -60 });
    const good = sign({ subject: freshEmail(), scopes: [], ttlS: 60 });
    for (const token of [await resetToken(email), `${good}x`, old, 'x']) {
      const body = { token, password: goodPassword };
      const answer = await new Browser(confirming).send('POST', '/account/sign-up/confirm', body);
      expect([answer.status, fieldOf(answer)]).toEqual([400, 'token']);
    }
  });
});

describe('a lost password', () => {
  it('is reset by the link of a mail, once: every session ends, the address is confirmed, and the holder is told', async () => {
    const holder = await verified();
    const key = await keyOf(holder);
    const token = await resetToken(holder.email);
    const browser = new Browser(gateway);
    const answer = await reset(token, {}, browser);
    expect(answer.status).toBe(200);
    expect((await browser.send('GET', '/account')).body.data).toMatchObject({ email_verified: true });
    expect((await holder.send('GET', '/account')).status).toBe(401);
    expect((await signIn(holder.email, goodPassword)).status).toBe(401);
    expect((await signIn(holder.email, newPassword)).status).toBe(200);
    world.upstream.answer = okAnswer;
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(200);
    const told = await mailTo(server, { to: holder.email, subject: subjects.wasReset });
    expect(textOf(told)).toContain(browser.address);
    expect(fieldOf(await reset(token, { password: 'and yet another one' }))).toBe('token');
  });

  it('gives an account whose address nobody had confirmed to whoever reads its mail, without what a stranger left there', async () => {
    const stranger = await signedUp(gateway);
    const key = await keyOf(stranger);
    await switchOn(stranger, new Phone());
    const member = await signedUp(gateway);
    const invite = (email: string) =>
      stranger.send('POST', '/account/members/invitations', { email, role: 'owner' });
    await invite(member.email);
    const { token } = linkIn(await mailTo(server, { to: member.email, subject: subjects.invited }));
    expect((await member.send('POST', '/account/invitations/accept', { token })).status).toBe(200);
    await member.send('POST', '/account/session/switch', { account: stranger.id });
    await invite(freshEmail());
    const owner = new Browser(gateway);
    expect((await reset(await resetToken(stranger.email), {}, owner)).status).toBe(200);
    const mail = await mailTo(server, { to: stranger.email, subject: subjects.reset });
    expect(textOf(mail)).toContain('revokes all API keys');
    expect((await owner.send('GET', '/account')).body.data).toMatchObject({ email_verified: true });
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401);
    expect((await signIn(stranger.email, newPassword)).status).toBe(200);
    expect((await member.send('GET', '/account/keys')).status).toBe(401);
    expect((await owner.send('GET', '/account/members')).body.data).toMatchObject({
      members: [{ founder: true }],
      invitations: [],
    });
  });

  it('leaves no invitation that a stranger makes at that very moment', async () => {
    const stranger = await signedUp(gateway);
    const token = await resetToken(stranger.email);
    const look = atSecondLook(async () => expect((await reset(token)).status).toBe(200));
    const invitation = { email: freshEmail(), role: 'owner' };
    const late = await stranger.send('POST', '/account/members/invitations', invitation);
    look.end();
    expect(late.status).toBe(401);
    expect(await world.models.invitations.countDocuments({ account: stranger.id })).toBe(0);
    expect(server.mailsTo(invitation.email)).toEqual([]);
  });

  it('that breaks off before all of a stranger is removed is finished by the link of another mail', async () => {
    const stranger = await signedUp(gateway);
    await switchOn(stranger, new Phone());
    const token = await resetToken(stranger.email);
    const { end } = MongoSecondFactors.prototype;
    const before = await world.accounts.findWithPassword(stranger.id);
    const spy = vi.spyOn(MongoSecondFactors.prototype, 'end').mockImplementation(async function (
      this: MongoSecondFactors,
      id,
    ) {
      const now = await world.accounts.findWithPassword(id);
      if (now?.passwordHash !== before?.passwordHash) throw unavailable('The store');
      return end.call(this, id);
    });
    expect((await reset(token)).status).toBe(503);
    spy.mockRestore();
    expect((await world.accounts.find(stranger.id))?.verification).not.toBe('verified');
    expect((await reset(await resetToken(stranger.email, 2))).status).toBe(200);
    expect((await signIn(stranger.email, newPassword)).status).toBe(200);
  });

  it('that is reset twice at once by one link stays with the first, and the log has one entry', async () => {
    const { email, id } = await signedUp(gateway);
    const token = await resetToken(email);
    const first = new Browser(gateway);
    const { findWithPassword } = MongoAccounts.prototype;
    vi.spyOn(MongoAccounts.prototype, 'findWithPassword').mockImplementationOnce(async function (
      this: MongoAccounts,
      asked,
    ) {
      const found = await findWithPassword.call(this, asked);
      expect((await reset(token, {}, first)).status).toBe(200);
      return found;
    });
    expect(fieldOf(await reset(token, { password: 'and yet another one' }))).toBe('token');
    expect((await first.send('GET', '/account')).status).toBe(200);
    for (const action of ['password.reset', 'access.revoked'] as const) {
      expect([action, await world.models.audit.countDocuments({ account: id, action })]).toEqual([action, 1]);
    }
  });

  it('revokes every key where that is asked for', async () => {
    const holder = await verified();
    const key = await keyOf(holder);
    expect((await reset(await resetToken(holder.email), { revoke_access: true })).status).toBe(200);
    expect((await ask(gateway, '/v1/signals', { key })).status).toBe(401);
    const account = await world.models.accounts.findById(holder.id).lean();
    expect(account?.access_revoked_at).toBeInstanceOf(Date);
  });

  it('is not reset by a link that was sent before another change of the password or of the address', async () => {
    const [one, other] = [await verified(), await verified()];
    const [first, second] = [await resetToken(one.email), await resetToken(other.email)];
    const change = { current_password: goodPassword, new_password: 'another good password' };
    expect((await one.send('POST', '/account/password', change)).status).toBe(200);
    await world.models.accounts.updateOne({ _id: other.id }, { $set: { email: freshEmail() } });
    expect(fieldOf(await reset(first))).toBe('token');
    expect(fieldOf(await reset(second))).toBe('token');
  });

  it('is not reset by the mail alone where the account has a second factor; of a recovery code the holder is told', async () => {
    const holder = await verified();
    const { codes } = await switchOn(holder, new Phone());
    const token = await resetToken(holder.email);
    for (const more of [{}, { code: 'never one' }]) {
      const refused = await reset(token, more);
      expect(refused.body.error?.code).toBe('SECOND_FACTOR_REQUIRED');
    }
    expect((await reset(token, { code: codes[0] })).status).toBe(200);
    const told = await mailTo(server, { to: holder.email, subject: 'A recovery code was used' });
    expect(textOf(told)).toContain('Recovery codes left: 9.');
  });

  it('is reset with a code from a device that has given one before, whatever codes strangers try', async () => {
    const holder = await verified();
    const { codes } = await switchOn(holder, new Phone());
    const entry = { email: holder.email, password: goodPassword, code: codes[0] };
    expect((await holder.send('POST', '/account/session', entry)).status).toBe(200);
    const throttle = new Throttle(await world.sharedCounters(), Date.now);
    const { limit } = wrongCodeByAccountAndDay;
    const charge = () => throttle.charge(wrongCodeByAccountAndDay, holder.id);
    await Promise.all(Array.from({ length: limit }, charge));
    const token = await resetToken(holder.email);
    expect((await reset(token, { code: codes[1] })).status).toBe(429);
    expect((await reset(token, { code: codes[1] }, holder)).status).toBe(200);
  });

  it('of a suspended account stays as it is', async () => {
    const holder = await verified();
    const token = await resetToken(holder.email);
    await world.accounts.setStatus(holder.id, 'suspended');
    expect((await reset(token)).status).toBe(403);
    await world.accounts.setStatus(holder.id, 'active');
    expect((await signIn(holder.email, goodPassword)).status).toBe(200);
  });

  it('gets the same answer for an unknown address, to which nothing is sent', async () => {
    const [unknown, { email }] = [freshEmail(), await verified()];
    const request = (to: string, at = new Browser(gateway)) =>
      at.send('POST', '/account/password/reset-request', { email: to });
    expect((await request(unknown)).body).toEqual({ success: true, data: { email: unknown } });
    expect((await request(email)).body).toEqual({ success: true, data: { email } });
    await mailTo(server, { to: email, subject: subjects.reset });
    await eventually(async () => expect(await world.models.mails.countDocuments({ to: unknown })).toBe(0), {
      timeoutMs: 30_000,
    });
    expect(server.mailsTo(unknown)).toEqual([]);
    // Limits are those of whoever asks, with or without an account.
    const throttle = new Throttle(await world.sharedCounters(), Date.now);
    const busy = new Browser(gateway, '203.0.113.9');
    const charge = () => throttle.charge(resetByNetwork, '203.0.113.0/24');
    await Promise.all(Array.from({ length: resetByNetwork.limit }, charge));
    expect((await request(email, busy)).status).toBe(429);
    expect((await request(unknown, busy)).status).toBe(429);
  });

  it('comes back to its owner by the last of 10 mails, however many strangers ask for more', async () => {
    const { email } = await verified();
    const asked = await Promise.all(
      Array.from({ length: 13 }, (_, n) =>
        new Browser(gateway, `198.19.${n}.1`).send('POST', '/account/password/reset-request', { email }),
      ),
    );
    expect(asked.map(({ status }) => status)).toEqual(Array(13).fill(202));
    await eventually(async () => expect(await world.models.mails.countDocuments({ to: email })).toBe(0), {
      timeoutMs: 30_000,
    });
    const mails = server.mailsTo(email).filter((mail) => mail.header('Subject') === subjects.reset);
    expect(mails).toHaveLength(10);
    expect((await reset(linkIn(mails[9] as (typeof mails)[0]).token)).status).toBe(200);
  });
});

describe('mails with links', () => {
  const askFor = (path: string, email: string, browser: Browser) => browser.send('POST', path, { email });

  it('are asked for by one network 200 times a day, of each kind, and by others still', async () => {
    const throttle = new Throttle(await world.sharedCounters(), Date.now);
    const charge = () => throttle.charge(lettersByNetwork, 'reset 203.0.114.0/24');
    await Promise.all(Array.from({ length: lettersByNetwork.limit }, charge));
    const busy = new Browser(confirming, '203.0.114.9');
    expect((await askFor('/account/password/reset-request', freshEmail(), busy)).status).toBe(429);
    expect((await askFor('/account', freshEmail(), busy)).status).toBe(202);
    const other = new Browser(confirming);
    expect((await askFor('/account/password/reset-request', freshEmail(), other)).status).toBe(202);
  });

  it('come to confirmed addresses when all others have used up those of the day', async () => {
    const own = await World.start();
    world.defer(() => own[Symbol.asyncDispose]());
    const at = await own.gateway({ env: { ...mailing(), CONFIRM_SIGN_UPS: 'false' } });
    const throttle = new Throttle(await own.sharedCounters(), Date.now);
    const charge = () => throttle.charge(lettersOfKind, 'reset');
    for (let done = 0; done < lettersOfKind.limit; done += 1_000) {
      await Promise.all(Array.from({ length: 1_000 }, charge));
    }
    const [holder, other] = [await signedUp(at), await signedUp(at)];
    await own.accounts.verify(holder.id);
    for (const { email } of [other, holder]) {
      await askFor('/account/password/reset-request', email, new Browser(at));
    }
    await mailTo(server, { to: holder.email, subject: subjects.reset });
    await eventually(async () => expect(await own.models.mails.countDocuments({})).toBe(0), {
      timeoutMs: 30_000,
    });
    const others = server.mailsTo(other.email).map((mail) => mail.header('Subject'));
    expect(others).not.toContain(subjects.reset);
  }, 60_000);
});

describe('the e-mail address of an account', () => {
  const confirm = (holder: Browser, token: string) =>
    holder.send('POST', '/account/email/confirm', { token });
  const change = (holder: Browser, email: string, password = goodPassword) =>
    holder.send('POST', '/account/email', { email, current_password: password });
  const confirmToken = async (to: string) =>
    linkIn(await mailTo(server, { to, subject: subjects.confirm })).token;

  it('is confirmed by a link together with a session, so that a stranger’s account is not confirmed by whoever reads the mail', async () => {
    const holder = await signedUp(gateway);
    const token = await confirmToken(holder.email);
    expect((await confirm(new Browser(gateway), token)).status).toBe(401);
    expect((await confirm(await signedUp(gateway), token)).status).toBe(403);
    expect((await holder.send('GET', '/account')).body.data).toMatchObject({ email_verified: false });
    for (let times = 0; times < 2; times += 1) {
      expect((await confirm(holder, token)).body.data).toEqual({ email: holder.email });
    }
    expect((await holder.send('GET', '/account')).body.data).toMatchObject({ email_verified: true });
    expect((await holder.send('POST', '/account/email/confirm-request')).status).toBe(409);
  });

  it('gets the link when somebody signs up at once, and again when asked for; a sign-up does without where the network has used up its mails', async () => {
    const holder = await signedUp(gateway);
    await confirmToken(holder.email);
    const asked = await holder.send('POST', '/account/email/confirm-request');
    expect(asked.body.data).toEqual({ email: holder.email });
    await mailTo(server, { to: holder.email, subject: subjects.confirm, count: 2 });
    const throttle = new Throttle(await world.sharedCounters(), Date.now);
    const charge = () => throttle.charge(lettersByNetwork, 'confirm 203.0.117.0/24');
    await Promise.all(Array.from({ length: lettersByNetwork.limit }, charge));
    const body = { email: freshEmail(), password: goodPassword };
    const answer = await new Browser(gateway, '203.0.117.9').send('POST', '/account', body);
    expect(answer.status).toBe(201);
    expect(await world.models.mails.countDocuments({ to: body.email })).toBe(0);
  });

  it('changes when the new one is confirmed, and the old one is told', async () => {
    const holder = await verified();
    const email = freshEmail();
    expect(fieldOf(await change(holder, email, 'not the password'))).toBe('current_password');
    expect((await change(holder, email)).status).toBe(202);
    const token = await confirmToken(email);
    expect((await holder.send('GET', '/account')).body.data).toMatchObject({
      email: holder.email,
      new_email: email,
    });
    expect((await signIn(email, goodPassword)).status).toBe(401);
    expect((await confirm(holder, token)).body.data).toEqual({ email });
    expect((await holder.send('GET', '/account')).body.data).toMatchObject({ email, new_email: null });
    expect((await signIn(email, goodPassword)).status).toBe(200);
    const told = await mailTo(server, { to: holder.email, subject: subjects.moved });
    expect(textOf(told)).toContain(email);
    await mailTo(server, { to: email, subject: subjects.moved });
  });

  it('stays when the new one has another account: the answer does not tell, a mail to its owner does', async () => {
    const [holder, other] = [await verified(), await verified()];
    expect((await change(holder, other.email)).body).toEqual({ success: true, data: { email: other.email } });
    expect(textOf(await mailTo(server, { to: other.email, subject: subjects.taken }))).not.toContain('token');
    // Also when it gets its account after the mail was sent.
    const email = freshEmail();
    await change(holder, email);
    const token = await confirmToken(email);
    await world.accounts.create({ email, passwordHash: 'x', plan: 'standard' });
    expect((await confirm(holder, token)).status).toBe(409);
    expect((await holder.send('GET', '/account')).body.data).toMatchObject({ email: holder.email });
  });

  it('that somebody wanted to change is forgotten with a new password', async () => {
    const holder = await verified();
    const email = freshEmail();
    await change(holder, email);
    const token = await confirmToken(email);
    expect((await reset(await resetToken(holder.email), {}, holder)).status).toBe(200);
    expect(fieldOf(await confirm(holder, token))).toBe('token');
  });

  it('that is refused uses up no recovery code, and is not kept', async () => {
    const holder = Object.assign(await verified(), { address: '203.0.115.9' });
    const { codes } = await switchOn(holder, new Phone());
    const body = (email: string) => ({ email, current_password: goodPassword, code: codes[0] });
    const ask = (email: string) => holder.send('POST', '/account/email', body(email));
    expect(fieldOf(await ask(holder.email))).toBe('email');
    const told = { account: holder.id, 'values.what': 'recovery-code-used' };
    expect(await world.models.mails.countDocuments(told)).toBe(0);
    const throttle = new Throttle(await world.sharedCounters(), Date.now);
    // The sign-up has sent one, from another network.
    for (const [rule, subject, length] of [
      [lettersByNetwork, 'confirm 203.0.115.0/24', lettersByNetwork.limit],
      [lettersByAccount, holder.id, lettersByAccount.limit - 1],
    ] as const) {
      const charge = () => throttle.charge(rule, subject);
      await Promise.all(Array.from({ length }, charge));
      expect((await ask(freshEmail())).status).toBe(429);
      await Promise.all(Array.from({ length }, () => throttle.refund(rule, subject)));
    }
    const stored = await world.models.accounts.findById(holder.id).lean();
    expect(stored).not.toHaveProperty('new_email');
    const used = { account: holder.id, action: 'totp.recovery_code_used' } as const;
    expect(await world.models.audit.countDocuments(used)).toBe(0);
    expect((await ask(freshEmail())).status).toBe(202);
    expect(await world.models.mails.countDocuments(told)).toBe(1);
  });

  it('can not be used to write to many: 10 mails a day, with that of the sign-up', async () => {
    const holder = await verified();
    const answers: number[] = [];
    for (let n = 0; n < 10; n += 1) answers.push((await change(holder, freshEmail())).status);
    expect(answers).toEqual([...Array(9).fill(202), 429]);
  });
});

describe('a common password', () => {
  it.each(['Password2024!', 'qwertyuiop123', 'dragondragon', 'leavemealone'])(
    '%s is refused at sign-up, change and reset, which name the field',
    async (password) => {
      const holder = await verified();
      const token = await resetToken(holder.email);
      const signUp = { email: freshEmail(), password };
      expect(fieldOf(await new Browser(gateway).send('POST', '/account', signUp))).toBe('password');
      const change = { current_password: goodPassword, new_password: password };
      expect(fieldOf(await holder.send('POST', '/account/password', change))).toBe('new_password');
      const refused = await reset(token, { password });
      expect(refused.body.error?.details).toEqual([
        expect.objectContaining({ field: 'password', message: expect.stringContaining('too common') }),
      ]);
      // The link still works, and signing in refuses no password by the list.
      expect((await reset(token)).status).toBe(200);
      expect((await signIn(holder.email, password)).status).toBe(401);
    },
  );
});

it('an owner signs in from a known device while 1,000 addresses try passwords of the account', async () => {
  const owner = await verified();
  const { email } = owner;
  await owner.send('DELETE', '/account/session');
  const statuses = new Set<number>();
  const attackers = Array.from({ length: 1_000 }, (_, n) => `198.18.${n % 250}.${Math.floor(n / 250) + 1}`);
  const attack = async () => {
    for (let address = attackers.pop(); address !== undefined; address = attackers.pop()) {
      statuses.add((await signIn(email, `wrong ${address}`, new Browser(gateway, address))).status);
    }
  };
  const attacks = Promise.all(Array.from({ length: 100 }, attack));
  let signedIn = 0;
  while (attackers.length > 0) {
    expect((await signIn(email, goodPassword, owner)).status).toBe(200);
    signedIn += 1;
    if (signedIn === 20) break;
  }
  await attacks;
  expect((await signIn(email, goodPassword, owner)).status).toBe(200);
  expect([...statuses].every((status) => [401, 429, 503].includes(status))).toBe(true);
  // Nor can they keep the password from being reset.
  expect((await reset(await resetToken(email))).status).toBe(200);
}, 120_000);

it('a server without mail says so, and where it signs up at once it tells of known addresses', async () => {
  const silent = await world.gateway();
  const browser = new Browser(silent, freshAddress());
  expect((await browser.send('GET', '/account/entry')).body.data).toEqual({
    confirms_sign_ups: false,
    sends_mail: false,
    plan: expect.objectContaining({ name: 'standard' }),
  });
  const { email } = await verified();
  expect((await browser.send('POST', '/account/password/reset-request', { email })).status).toBe(409);
  expect((await browser.send('POST', '/account', { email, password: goodPassword })).status).toBe(409);
  expect(fieldOf(await browser.send('POST', '/account', { email }))).toBe('password');
});
