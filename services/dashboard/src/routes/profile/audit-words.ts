import type { AuditAction, AuditEntryView } from '@sigcast/contracts';
import Bowser from 'bowser';

/** What happened. */
export const auditWords: Readonly<Record<AuditAction, string>> = {
  'account.created': 'Account created',
  'account.exported': 'Account’s data exported',
  'account.deleted': 'Account deleted',
  'account.suspended': 'Account suspended',
  'account.resumed': 'Account resumed',
  'account.plan_changed': 'Plan changed',
  'account.operator_added': 'Account made an operator',
  'account.operator_removed': 'Account no longer an operator',
  'session.started': 'Signed in',
  'session.ended': 'Signed out',
  'password.changed': 'Password changed',
  'password.reset': 'Password reset',
  'access.revoked': 'All API keys revoked, webhooks paused',
  'email.changed': 'E-mail address changed',
  'email.verified': 'E-mail address verified',
  'mail.changed': 'Mails chosen',
  'totp.on': 'Two-step sign-in switched on',
  'totp.off': 'Two-step sign-in switched off',
  'totp.codes_replaced': 'Recovery codes replaced',
  'totp.recovery_code_used': 'Recovery code used',
  'passkey.added': 'Passkey added',
  'passkey.removed': 'Passkey removed',
  'key.created': 'API key created',
  'key.changed': 'API key changed',
  'key.rotated': 'API key rotated',
  'key.revoked': 'API key revoked',
  'key.reported': 'API key reported as leaked',
  'webhook.created': 'Webhook created',
  'webhook.changed': 'Webhook changed',
  'webhook.deleted': 'Webhook deleted',
  'webhook.secret_rotated': 'Signing secret of a webhook rotated',
  'member.invited': 'Member invited',
  'member.invitation_withdrawn': 'Invitation withdrawn',
  'member.joined': 'Member joined',
  'member.changed': 'Role of a member changed',
  'member.removed': 'Member removed',
};

/** Who did it. `keyNames`: the names of the account's keys, by their ids. */
export function actorWords(
  { by }: Pick<AuditEntryView, 'by'>,
  keyNames: ReadonlyMap<string, string>,
): string {
  switch (by.kind) {
    case 'holder':
      return by.email ?? 'A deleted account';
    case 'key':
      return `API key ${keyNames.get(by.id ?? '') ?? by.id}`;
    case 'operator':
      return 'The operator of this service';
    case 'system':
      return 'This service';
  }
}

/**
 * The program of a `User-Agent`, such as Firefox on Linux, or with its version Firefox 144 on Linux; the beginning of the text
 * where it is not a browser.
 */
export function programWords(userAgent: string, { version = false } = {}): string {
  const { browser, os } = Bowser.parse(userAgent);
  if (!browser.name) return userAgent.split(' ', 1)[0] ?? '';
  const major = version ? (browser.version?.split('.', 1)[0] ?? '') : '';
  const name = `${browser.name} ${major}`.trimEnd();
  return os.name ? `${name} on ${os.name}` : name;
}
