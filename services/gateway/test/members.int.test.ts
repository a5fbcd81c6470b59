import type { AccountView, InvitationView, TeamView } from '@sigcast/contracts';
import { unavailable } from '@sigcast/contracts';
import { eventually, openEventSource } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { MongoAccounts } from '../src/store/accounts.ts';
import { mongoMembers } from '../src/store/members.ts';
import type { InvitationDocument } from '../src/store/models.ts';
import { type Browser, freshEmail, goodPassword, signedUp, statusOfLate } from './account-harness.ts';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { root, sendTo } from './operator-harness.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;
let server: MailServer;
let gateway: string;
beforeAll(async () => {
  server = await startMailServer();
  world = await World.start();
  gateway = await world.gateway({
    env: { SMTP_URL: server.url, PUBLIC_URL: 'http://api.example.com', CONFIRM_SIGN_UPS: 'false' },
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
beforeEach(() => {
  world.upstream.answer = okAnswer;
});

type Person = Awaited<ReturnType<typeof signedUp>>;

const invite = (owner: Browser, email: string, role = 'developer') =>
  owner.send('POST', '/account/members/invitations', { email, role });

/** The tokens of the invitations that an address has got, oldest first. */
async function tokensTo(email: string, count = 1): Promise<string[]> {
  const found = () =>
    server.mailsTo(email).flatMap(({ raw }) => {
      // Quoted-printable (RFC 2045, 6.7).
      const text = raw.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
      return /\/invitation#token=([\w.-]+)/.exec(text)?.[1] ?? [];
    });
  await eventually(() => expect(found()).toHaveLength(count), { timeoutMs: 30_000 });
  return found();
}

const accept = (person: Browser, token: string) =>
  person.send('POST', '/account/invitations/accept', { token });
const actFor = (person: Browser, account: string) =>
  person.send('POST', '/account/session/switch', { account });
const viewOf = async (person: Browser) =>
  (await person.send('GET', '/account')).body.data as unknown as AccountView;
const teamOf = async (person: Browser) =>
  (await person.send('GET', '/account/members')).body.data as unknown as TeamView;

/** An account and a member of it who acts for it. */
async function team(role = 'developer'): Promise<{ owner: Person; member: Person }> {
  const [owner, member] = [await signedUp(gateway), await signedUp(gateway)];
  await invite(owner, member.email, role);
  const [token = ''] = await tokensTo(member.email);
  expect((await accept(member, token)).status).toBe(200);
  expect((await actFor(member, owner.id)).status).toBe(200);
  return { owner, member };
}

describe('an invitation', () => {
  it('comes by mail, and makes whoever has the address a member who acts for the account', async () => {
    const owner = await signedUp(gateway);
    const member = await signedUp(gateway);
    const invited = await invite(owner, member.email.toUpperCase());
    expect([invited.status, invited.body.data?.email]).toEqual([201, member.email]);
    const [token = ''] = await tokensTo(member.email);
    const accepted = await accept(member, token);
    expect(accepted.body.data).toEqual({ id: owner.id, email: owner.email, role: 'developer' });
    // The link came to the address.
    expect((await viewOf(member)).email_verified).toBe(true);
    await actFor(member, owner.id);
    expect(await viewOf(member)).toMatchObject({
      id: owner.id,
      person: { id: member.id, email: member.email },
      role: 'developer',
      accounts: [
        { id: member.id, role: 'owner' },
        { id: owner.id, role: 'developer' },
      ],
    });
    const { members, invitations } = await teamOf(owner);
    expect(members.map(({ email, role, founder }) => [email, role, founder])).toEqual([
      [owner.email, 'owner', true],
      [member.email, 'developer', false],
    ]);
    expect(invitations).toEqual([]);
  });

  it('answers the same for an address that has an account and one that has none', async () => {
    const owner = await signedUp(gateway);
    const known = await invite(owner, (await signedUp(gateway)).email);
    const unknown = await invite(owner, freshEmail());
    const shape = ({ status, body }: typeof known) => [status, Object.keys(body.data ?? {}), body.data?.role];
    expect(shape(known)).toEqual(shape(unknown));
  });

  it('works once', async () => {
    const { owner, member } = await team();
    const [token = ''] = await tokensTo(member.email);
    expect((await accept(member, token)).body.error?.details?.[0]?.field).toBe('token');
    await owner.send('DELETE', `/account/members/${member.id}`);
    await member.send('POST', '/account/session/refresh');
    expect((await accept(member, token)).status).toBe(400);
    expect((await teamOf(owner)).members).toHaveLength(1);
  });

  it('confirms the address, with an entry of its own, before it is used up', async () => {
    const [owner, member] = [await signedUp(gateway), await signedUp(gateway)];
    await invite(owner, member.email);
    const [token = ''] = await tokensTo(member.email);
    using _ = vi.spyOn(MongoAccounts.prototype, 'verify').mockRejectedValueOnce(unavailable('The store'));
    expect((await accept(member, token)).status).toBe(503);
    expect((await accept(member, token)).status).toBe(200);
    const entries = await world.models.audit.find({ account: member.id, action: 'email.verified' }).lean();
    expect(entries.length).toBeGreaterThan(0);
  });

  it('works for nobody else, and is not used up by their try', async () => {
    const [owner, member, other] = [
      await signedUp(gateway),
      await signedUp(gateway),
      await signedUp(gateway),
    ];
    await invite(owner, member.email);
    const [token = ''] = await tokensTo(member.email);
    const refused = await accept(other, token);
    expect([refused.status, JSON.stringify(refused.body).includes(member.email)]).toEqual([403, false]);
    expect((await actFor(other, owner.id)).status).toBe(404);
    expect((await accept(member, token)).status).toBe(200);
  });

  it.each([
    [
      'is withdrawn',
      async (owner: Browser, id: string) => owner.send('DELETE', `/account/members/invitations/${id}`),
    ],
    [
      'has expired',
      async (_: Browser, id: string) =>
        world.models.invitations.updateOne({ _id: id }, { $set: { expires_at: new Date() } }),
    ],
    [
      'is replaced by another',
      async (owner: Browser, _: string, email: string) => invite(owner, email, 'viewer'),
    ],
  ])('does not work when it %s', async (_, end) => {
    const [owner, member] = [await signedUp(gateway), await signedUp(gateway)];
    const { id } = (await invite(owner, member.email)).body.data as unknown as InvitationView;
    const [token = ''] = await tokensTo(member.email);
    await end(owner, id, member.email);
    expect((await accept(member, token)).status).toBe(400);
    expect((await accept(member, `${token}x`)).status).toBe(400);
  });

  it('makes nobody a member who accepts while all members are removed', async () => {
    const [owner, member] = [await signedUp(gateway), await signedUp(gateway)];
    await invite(owner, member.email);
    const [token = ''] = await tokensTo(member.email);
    const invitation = await world.models.invitations.findOne({ account: owner.id }).lean();
    await mongoMembers(world.models, Date.now).removeAll(owner.id);
    // As if it had been accepted just before.
    await world.models.invitations.create(invitation as InvitationDocument);
    expect((await accept(member, token)).status).toBe(400);
    expect(await world.models.members.countDocuments({ account: owner.id })).toBe(0);
  });

  it('is refused beyond 50 members and invitations, of which none is lost', async () => {
    const owner = await signedUp(gateway);
    const at = new Date();
    const waiting = Array.from({ length: 49 }, (_, n) => ({
      _id: `inv_${owner.id.slice(5, 29)}${String(n).padStart(2, '0')}`,
      account: owner.id,
      email: `${n}@example.test`,
      role: 'viewer',
      created_at: at,
      expires_at: new Date(at.getTime() + 60_000),
    }));
    await world.models.invitations.insertMany(waiting);
    const refused = freshEmail();
    expect((await invite(owner, refused)).status).toBe(409);
    // Nothing has changed, and nothing is recorded; but an invitation that is there can be made again.
    expect((await teamOf(owner)).invitations).toHaveLength(49);
    const recorded = async () => JSON.stringify((await owner.send('GET', '/account/audit')).body.data);
    expect(await recorded()).not.toContain(refused);
    expect((await invite(owner, '1@example.test')).status).toBe(201);
    expect((await teamOf(owner)).invitations).toHaveLength(49);
    expect(await recorded()).toContain('1@example.test');
    await owner.send('DELETE', `/account/members/invitations/${waiting[0]?._id}`);
    expect((await invite(owner, freshEmail())).status).toBe(201);
  });

  it('of another account can not be withdrawn', async () => {
    const [owner, other] = [await signedUp(gateway), await signedUp(gateway)];
    const { id } = (await invite(owner, freshEmail())).body.data as unknown as InvitationView;
    expect((await other.send('DELETE', `/account/members/invitations/${id}`)).status).toBe(404);
    expect((await teamOf(owner)).invitations).toHaveLength(1);
  });
});

describe('a role', () => {
  const webhook = '/v1/webhooks/wh_01J9ZQ6W9A1C3E5G7J9M1N3Q5S';
  const asked = [
    ['GET', '/account/keys', 'viewer'],
    ['GET', '/account/members', 'viewer'],
    ['POST', '/account/keys', 'developer'],
    ['GET', '/account/audit', 'owner'],
    ['POST', '/account/members/invitations', 'owner'],
    ['GET', '/v1/webhooks', 'viewer'],
    ['POST', '/v1/filters/try', 'viewer'],
    ['DELETE', webhook, 'developer'],
    ['POST', '/v1/backtests', 'developer'],
  ] as const;
  const bodies: Readonly<Record<string, unknown>> = {
    '/account/keys': { name: 'x' },
    '/account/members/invitations': { email: 'not one', role: 'viewer' },
  };
  const order = ['viewer', 'developer', 'owner'];

  it.each(order)(
    '%s may do what it says and nothing more, and is told which role is needed',
    async (role) => {
      const { member } = await team(role);
      for (const [method, path, needed] of asked) {
        const body = method === 'POST' ? (bodies[path] ?? {}) : undefined;
        const answer = path.startsWith('/v1')
          ? await ask(gateway, path, {
              method,
              key: member.token ?? '',
              ...(body !== undefined && {
                body: JSON.stringify(body),
                headers: { 'content-type': 'application/json' },
              }),
            })
          : await member.send(method, path, body);
        const isAllowed = order.indexOf(role) >= order.indexOf(needed);
        expect([path, answer.status === 403]).toEqual([path, !isAllowed]);
        if (!isAllowed) expect(answer.body.error?.message).toContain(`needs the role ${needed}`);
      }
    },
  );

  it('changes with the very next request, and only owners change it', async () => {
    const { owner, member } = await team('viewer');
    const path = `/account/members/${member.id}`;
    expect((await member.send('PATCH', path, { role: 'owner' })).status).toBe(403);
    expect((await owner.send('PATCH', path, { role: 'developer' })).body.data?.role).toBe('developer');
    expect((await member.send('POST', '/account/keys', { name: 'theirs' })).status).toBe(201);
    expect(await world.keys.list(owner.id)).toHaveLength(1);
    const founder = await owner.send('PATCH', `/account/members/${owner.id}`, { role: 'viewer' });
    expect(founder.status).toBe(409);
  });

  const webhookChange = { method: 'PATCH', path: webhook, body: { description: 'late' } };
  it.each([
    ['POST invitations', { method: 'POST', path: '/account/members/invitations' }],
    ['PATCH a member', { method: 'PATCH', path: '/account/members/' }],
    ['PATCH a webhook', webhookChange],
    ['POST rotate-secret', { method: 'POST', path: `${webhook}/rotate-secret`, body: {} }],
  ])(
    'that ends while the body of %s arrives does nothing any more',
    async (_, { method, path, ...given }) => {
      const { owner, member } = await team('owner');
      const isOfMember = path.endsWith('/');
      const body =
        'body' in given ? given.body : { role: 'viewer', ...(!isOfMember && { email: freshEmail() }) };
      const late = { method, path: isOfMember ? `${path}${member.id}` : path, body };
      const one = `/account/members/${member.id}`;
      world.upstream.requests.length = 0;
      const demote = () => owner.send('PATCH', one, { role: 'viewer' });
      expect(await statusOfLate(member, late, demote)).toBe(403);
      await owner.send('PATCH', one, { role: 'owner' });
      expect(await statusOfLate(member, late, () => owner.send('DELETE', one))).toBe(401);
      expect((await teamOf(owner)).invitations).toEqual([]);
      expect(world.upstream.requests).toEqual([]);
    },
  );

  it('gives nothing that is the person’s own: password, mails and sessions stay those of each', async () => {
    const { owner, member } = await team('owner');
    await member.send('PATCH', '/account/mail', { keys: false });
    const passwords = { current_password: goodPassword, new_password: `another ${goodPassword}` };
    expect((await member.send('POST', '/account/password', passwords)).status).toBe(200);
    expect((await owner.send('GET', '/account/mail')).body.data?.keys).toBe(true);
    const credentials = { email: owner.email, password: goodPassword };
    expect((await owner.send('POST', '/account/session', credentials)).status).toBe(200);
  });

  it('in an account of an operator opens no page for operators', async () => {
    const { owner, member } = await team('owner');
    await world.accounts.setOperator(owner.id, true);
    const token = member.token;
    expect((await sendTo(gateway, `${root}/accounts`, { token })).status).toBe(404);
    expect((await viewOf(member)).operator).toBeUndefined();
  });
});

describe('a session that acts for an account', () => {
  it('goes on doing so when it is renewed, and is recorded with its person', async () => {
    const { owner, member } = await team();
    await member.send('POST', '/account/session/refresh');
    expect((await viewOf(member)).id).toBe(owner.id);
    await member.send('POST', '/account/keys', { name: 'theirs' });
    const { body } = await owner.send('GET', '/account/audit?limit=3');
    const entries = body.data as unknown as { action: string; by: object }[];
    const person = { kind: 'holder', id: member.id, email: member.email };
    expect(entries.map(({ action, by }) => [action, by])).toEqual([
      ['key.created', person],
      ['member.joined', person],
      ['member.invited', { kind: 'holder', id: owner.id, email: owner.email }],
    ]);
  });

  it('stops at once when the member is removed: requests, keys to be made, streams; the person goes on with their own', async () => {
    const { owner, member } = await team();
    world.upstream.answer = (req, res) => {
      if (req.url !== '/v1/stream') return okAnswer(req, res);
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: pos_1\n\n');
    };
    const headers = { authorization: `Bearer ${member.token}` };
    const stream = await openEventSource(`${gateway}/v1/stream`, headers);
    expect(stream.status).toBe(200);
    expect((await ask(gateway, '/v1/signals', { key: member.token ?? '' })).status).toBe(200);
    expect((await owner.send('DELETE', `/account/members/${member.id}`)).status).toBe(204);
    expect((await ask(gateway, '/v1/signals', { key: member.token ?? '' })).status).toBe(401);
    expect((await member.send('POST', '/account/keys', { name: 'late' })).status).toBe(401);
    expect(await stream.over).toBe('ended');
    await member.send('POST', '/account/session/refresh');
    expect((await viewOf(member)).id).toBe(member.id);
    expect((await actFor(member, owner.id)).status).toBe(404);
  });

  it('stops when its person leaves, and can not remove others', async () => {
    const { owner, member } = await team('developer');
    expect((await member.send('DELETE', `/account/members/${owner.id}`)).status).toBe(403);
    expect((await member.send('DELETE', `/account/members/${member.id}`)).status).toBe(204);
    expect((await member.send('GET', '/account')).status).toBe(401);
    expect((await teamOf(owner)).members).toHaveLength(1);
  });

  it('is refused while its person is suspended', async () => {
    const { member } = await team();
    await world.accounts.setStatus(member.id, 'suspended');
    expect((await member.send('GET', '/account')).status).toBe(403);
    expect((await ask(gateway, '/v1/signals', { key: member.token ?? '' })).status).toBe(403);
  });

  it('lets its person go back to their own account while the account acted for is suspended', async () => {
    const { owner, member } = await team();
    await world.accounts.setStatus(owner.id, 'suspended');
    expect((await member.send('GET', '/account')).status).toBe(403);
    expect((await actFor(member, member.id)).status).toBe(200);
    expect((await viewOf(member)).id).toBe(member.id);
  });

  it('counts against the limits of the account acted for', async () => {
    const { owner, member } = await team();
    const remaining = async (token = '') =>
      Number((await ask(gateway, '/v1/signals', { key: token })).headers.get('x-ratelimit-remaining'));
    const first = await remaining(owner.token);
    expect(await remaining(member.token)).toBe(first - 1);
  });
});
