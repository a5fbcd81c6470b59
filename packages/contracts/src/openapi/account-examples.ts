import { at, exampleIds, later, success } from './example-values.ts';

const account = {
  id: 'acct_01J9ZPX1F3H5K7M9P1R3T5V7X9',
  email: 'you@example.com',
  email_verified: true,
  plan: { name: 'standard', requests_per_minute: 60, requests_per_day: 10_000, webhooks: 20, streams: 10 },
  status: 'active',
  created_at: at,
};

const session = {
  access_token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.…',
  token_type: 'Bearer',
  expires_in: 600,
  account,
};

const apiKey = {
  id: exampleIds.key_id,
  name: 'Trading bot',
  environment: 'production',
  first: 'x7Kd',
  last: 'Qz3m',
  state: 'active',
  created_at: at,
  last_used_at: later,
  expires_at: '2027-01-01T12:00:00.000Z',
  revoked_at: null,
};

const createdKey = { ...apiKey, last_used_at: null, key: 'sk_…' };

const hour = { requests: 5, refused: 0, client_errors: 1, server_errors: 0 };
const quiet = { requests: 0, refused: 0, client_errors: 0, server_errors: 0 };

const password = 'correct horse battery staple';

/** Examples of bodies and answers about accounts, keys and usage, by their names in the document. */
export const accountExamples: Readonly<Record<string, unknown>> = {
  SignUp: { email: account.email, password },
  SignIn: { email: account.email, password },
  SessionAnswer: success(session),
  AccountAnswer: success(account),
  ChangePassword: { current_password: password, new_password: 'another horse, another battery' },
  CreateApiKey: { name: apiKey.name, environment: apiKey.environment, expires_in_days: 365 },
  CreatedApiKeyAnswer: success(createdKey),
  ApiKeyList: success([apiKey]),
  ApiKeyAnswer: success({ ...apiKey, state: 'revoked', revoked_at: later }),
  RotateApiKey: { overlap_days: 7, expires_in_days: 365 },
  UsageAnswer: success({
    limits: { requests_per_minute: 60, requests_per_day: 10_000 },
    today: { used: 5, remaining: 9_995, resets_at: '2026-01-02T00:00:00.000Z' },
    days: [
      { date: '2026-01-01', ...hour, hours: Array.from({ length: 24 }, (_, i) => (i === 12 ? hour : quiet)) },
    ],
  }),
};
