import { signalsDecideScope, signalsReadScope, signalsWriteScope } from '@sigcast/contracts';
import { identitySigner, identityVerifier, publicKeyOf } from '@sigcast/http';
import { readOptions, wholeNumber } from '@sigcast/operator';
import { z } from 'zod';
import { readSigningConfig } from '../config.ts';
import type { Command } from './command.ts';

/** The service that accepts these tokens: all of their scopes are about signals. */
const audience = 'signals';
const scopes = [signalsWriteScope, signalsReadScope, signalsDecideScope] as const;

const create: Command = {
  usage: `token create --subject NAME --scope ${scopes.join('|')} [--ttl-days DAYS]`,
  summary:
    'Makes a service token that is valid for 365 days, or as many as --ttl-days says. It needs OPERATOR_PRIVATE_KEY.',
  run: async ({ args, env }) => {
    const options = readOptions(args, {
      shape: {
        subject: z.string().regex(/^[\w.-]{1,80}$/, 'must be a name of letters, digits, dots and dashes'),
        scope: z.enum(scopes, `must be one of ${scopes.join(', ')}`),
        'ttl-days': wholeNumber(1, 3_650).default(365),
      },
    });
    const key = readSigningConfig(env).OPERATOR_PRIVATE_KEY;
    const { subject, scope, 'ttl-days': days } = options;
    // The tracker decides about signals, and also writes observations.
    const granted = scope === signalsDecideScope ? [signalsWriteScope, scope] : [scope];
    const token = identitySigner(
      'operator',
      key,
      audience,
    )({ subject, scopes: granted, ttlS: days * 86_400 });
    const { tokenId: id, expiresAt } = identityVerifier('operator', publicKeyOf(key), audience)(token);
    return {
      data: { token, id, subject, scope, ttl_days: days, expires_at: expiresAt.toISOString() },
      text: token,
      note: `Its id is ${id}, for "tokens revoke" of the signals service; note it down: nothing stores it before the token is used.`,
    };
  },
};

export const tokenCommands = { create } satisfies Record<string, Command>;
