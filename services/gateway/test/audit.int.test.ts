import { type AuditEntryView, auditEntrySchema } from '@sigcast/contracts';
import { newId } from '@sigcast/runtime';
import { eventually } from '@sigcast/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { keyIdOf } from '../src/domain/api-key.ts';
import { MongoAccounts } from '../src/store/accounts.ts';
import { Browser, goodPassword, keyOf, signedUp } from './account-harness.ts';
import { ask } from './ask.ts';
import { World } from './harness.ts';
import { okAnswer } from './scripted-upstream.ts';

let world: World;
let gateway: string;
beforeAll(async () => {
  world = await World.start();
  gateway = await world.gateway();
});
afterAll(async () => world[Symbol.asyncDispose]());
beforeEach(() => {
  world.upstream.answer = okAnswer;
});

const webhook = 'wh_01J9ZQ6W9A1C3E5G7J9M1N3Q5S';

/** What a holder's audit log has, newest first. */
async function auditOf(holder: Browser, query = ''): Promise<AuditEntryView[]> {
  const { body } = await holder.send('GET', `/account/audit${query}`);
  return auditEntrySchema.array().parse(body.data);
}

const actionsIn = (entries: readonly AuditEntryView[]) => entries.map(({ action }) => action);

/** Stores as many entries of an account as given, with ids of this moment and before. */
async function fill(account: string, count: number, more: object = {}) {
  const now = Date.now();
  const entries = Array.from({ length: count }, (_, at) => {
    const ms = now - at;
    return {
      _id: newId('aud', ms),
      at: new Date(ms),
      account,
      action: 'mail.changed',
      by: 'system',
      ...more,
    };
  });
  await world.models.audit.insertMany(entries);
}

describe('the audit log of an account', () => {
  it('says who signed in, changed the password, the mails and the keys, when and from where', async () => {
    const holder = await signedUp(gateway);
    const made = await holder.send('POST', '/account/keys', { name: 'bot' });
    const id = made.body.data?.id;
    const rotated = await holder.send('POST', `/account/keys/${id}/rotate`);
    await holder.send('DELETE', `/account/keys/${rotated.body.data?.id}`);
    await holder.send('PATCH', '/account/mail', { keys: false });
    const passwords = { current_password: goodPassword, new_password: `another ${goodPassword}` };
    await holder.send('POST', '/account/password', { ...passwords, revoke_access: true });
    const entries = await auditOf(holder);
    // Entries of one millisecond have no order, such as this one and that of the new password.
    const revoked = entries.filter(({ action }) => action === 'access.revoked');
    expect(revoked).toHaveLength(1);
    const others = entries.filter((entry) => !revoked.includes(entry));
    expect(others.map(({ action, target }) => [action, target])).toEqual([
      ['session.started', expect.stringMatching(/^ses_/)],
      ['password.changed', null],
      ['mail.changed', null],
      ['key.revoked', rotated.body.data?.id],
      ['key.created', rotated.body.data?.id],
      ['key.rotated', id],
      ['key.created', id],
      ['session.started', expect.stringMatching(/^ses_/)],
      ['account.created', null],
    ]);
    for (const { by, address, user_agent, at } of entries) {
      expect(by).toEqual({ kind: 'holder', id: holder.id, email: holder.email });
      expect(address).toBe(holder.address);
      expect(user_agent).toBe('node');
      expect(Date.now() - Date.parse(at)).toBeLessThan(60_000);
    }
  });

  it('has the end of a session by signing out', async () => {
    const holder = await signedUp(gateway);
    const other = new Browser(gateway);
    await other.send('POST', '/account/session', { email: holder.email, password: goodPassword });
    await other.send('DELETE', '/account/session');
    const [ended, started] = await auditOf(holder);
    expect([ended?.action, started?.action]).toEqual(['session.ended', 'session.started']);
    expect([ended?.target, ended?.address]).toEqual([started?.target, other.address]);
  });

  it('has changes of webhooks by a key and in the dashboard before they are passed on', async () => {
    const holder = await signedUp(gateway);
    const key = await keyOf(holder);
    const stored: string[][] = [];
    world.upstream.answer = (req, res) => {
      void auditOf(holder, '?limit=1').then((entries) => {
        stored.push(actionsIn(entries));
        okAnswer(req, res);
      });
    };
    const path = `/v1/webhooks/${webhook}`;
    const asked = [
      ['POST', '/v1/webhooks', key],
      ['PATCH', path, holder.token],
      ['POST', `${path}/rotate-secret`, key],
      ['DELETE', path, key],
    ] as const;
    for (const [method, to, by] of asked) {
      expect((await ask(gateway, to, { method, key: by ?? '' })).status).toBe(200);
    }
    expect(stored.flat()).toEqual([
      'webhook.created',
      'webhook.changed',
      'webhook.secret_rotated',
      'webhook.deleted',
    ]);
    const entries = (await auditOf(holder)).slice(0, 4);
    const [{ sha256 } = { sha256: '' }] = await world.keys.list(holder.id);
    const byKey = { kind: 'key', id: keyIdOf(sha256), email: null };
    expect(entries.map(({ by, target }) => [by, target])).toEqual([
      [byKey, webhook],
      [byKey, webhook],
      [{ kind: 'holder', id: holder.id, email: holder.email }, webhook],
      [byKey, null],
    ]);
  });

  it('keeps no entry of a change of a webhook that the service refused', async () => {
    const holder = await signedUp(gateway);
    const key = await keyOf(holder);
    world.upstream.answer = ({ headers }, res) => {
      const error = { code: 'NOT_FOUND', message: 'no', request_id: headers['x-request-id'] };
      const body = JSON.stringify({ success: false, error });
      res.writeHead(404, { 'content-type': 'application/json' }).end(body);
    };
    await ask(gateway, `/v1/webhooks/${webhook}`, { method: 'DELETE', key });
    await eventually(async () => expect(actionsIn(await auditOf(holder))[0]).toBe('key.created'));
  });

  it('keeps no entry of a new password that was refused because another one was first', async () => {
    const holder = await signedUp(gateway);
    using _ = vi.spyOn(MongoAccounts.prototype, 'replacePassword').mockResolvedValueOnce(false);
    const body = {
      current_password: goodPassword,
      new_password: 'a wholly different one',
      revoke_access: true,
    };
    expect((await holder.send('POST', '/account/password', body)).status).toBe(409);
    expect(actionsIn(await auditOf(holder))).toEqual(['session.started', 'account.created']);
  });

  it('has what an operator does to the account, without who the operator is', async () => {
    const holder = await signedUp(gateway);
    await world.command(['account', 'suspend', holder.id]);
    await world.command(['account', 'resume', holder.id]);
    const entries = (await auditOf(holder)).slice(0, 2);
    expect(actionsIn(entries)).toEqual(['account.resumed', 'account.suspended']);
    for (const { by, address } of entries) {
      expect([by, address]).toEqual([{ kind: 'operator', id: null, email: null }, null]);
    }
  });

  it('is read page by page, each entry once, by action and by time', async () => {
    const holder = await signedUp(gateway);
    await fill(holder.id, 30);
    const ids: string[] = [];
    let cursor: unknown;
    do {
      const query = cursor === undefined ? '' : `&cursor=${String(cursor)}`;
      const { body } = await holder.send('GET', `/account/audit?limit=10&action=mail.changed${query}`);
      ids.push(
        ...auditEntrySchema
          .array()
          .parse(body.data)
          .map(({ id }) => id),
      );
      cursor = (body as { meta?: { next_cursor: string | null } }).meta?.next_cursor;
    } while (cursor !== null);
    expect(ids).toHaveLength(30);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    const [, , third] = await auditOf(holder, '?action=mail.changed');
    const since = await auditOf(holder, `?action=mail.changed&since=${third?.at}`);
    expect(since.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(actionsIn(await auditOf(await signedUp(gateway)))).toEqual(['session.started', 'account.created']);
  });

  it.each(['action=made', 'since=yesterday', 'cursor=aud_1', 'limit=0', 'format=xml'])(
    'refuses %s and names the parameter',
    async (query) => {
      const holder = await signedUp(gateway);
      const path = query.startsWith('format') ? '/account/audit/export' : '/account/audit';
      const { status, body } = await holder.send('GET', `${path}?${query}`);
      expect([status, body.error?.details?.[0]?.field]).toEqual([400, query.split('=')[0]]);
    },
  );
});

describe('the export of the audit log', () => {
  const exported = async (holder: Browser, query = '') => {
    const headers = { authorization: `Bearer ${holder.token}`, 'x-forwarded-for': holder.address };
    return fetch(`${gateway}/account/audit/export${query}`, { headers });
  };

  it('has all entries as CSV, in which no spreadsheet finds a formula and no text breaks a line', async () => {
    const holder = await signedUp(gateway);
    await fill(holder.id, 1_001);
    await fill(holder.id, 1, { user_agent: '=HYPERLINK("http://evil.test","x")\r\n' });
    const answer = await exported(holder, '?action=mail.changed');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const text = await answer.text();
    expect(text).toContain(`,,,"'=HYPERLINK(""http://evil.test"",""x"")\r\n"\r\n`);
    const lines = text.replace('\r\n"', '"').split('\r\n');
    expect(lines[0]).toBe('id,at,action,by,by_id,by_email,target,address,user_agent');
    expect(lines).toHaveLength(1 + 1_002 + 1);
  });

  it('has all entries as JSON lines, as in the list', async () => {
    const holder = await signedUp(gateway);
    const lines = (await (await exported(holder, '?format=jsonl')).text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(await auditOf(holder));
  });

  it('is limited to ten an hour for an account', async () => {
    const holder = await signedUp(gateway);
    const statuses: number[] = [];
    for (let asked = 0; asked < 11; asked += 1) {
      const answer = await exported(holder);
      await answer.text();
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });
});

describe('without an entry in the audit log', () => {
  it('no session begins, no key is made or revoked and no webhook is changed, but everybody can sign out', async () => {
    await using other = await World.start();
    const at = await other.gateway();
    const holder = await signedUp(at);
    const made = await holder.send('POST', '/account/keys', { name: 'one' });
    const session = new Browser(at);
    // From now on, the log takes no second entry of an action.
    await other.models.audit.collection.createIndex({ account: 1, action: 1 }, { unique: true });

    const credentials = { email: holder.email, password: goodPassword };
    expect((await session.send('POST', '/account/session', credentials)).body.data).toBeUndefined();
    expect((await holder.send('POST', '/account/keys', { name: 'two' })).body.data).toBeUndefined();
    const valid = (await other.keys.list(holder.id)).filter(({ revokedAt }) => revokedAt === null);
    expect(valid.map(({ name }) => name)).toEqual(['one']);

    const key = String(made.body.data?.key);
    for (const _ of [1, 2]) await ask(at, `/v1/webhooks/${webhook}`, { method: 'DELETE', key });
    expect(other.upstream.requests).toHaveLength(1);
    expect((await holder.send('DELETE', '/account/session')).status).toBe(204);
  });
});
