import type { startSystem } from '@sigcast/local';

/** Makes an API key whose limits no bench reaches, and a producer's token. */
export async function openAccess({
  operator,
}: Pick<Awaited<ReturnType<typeof startSystem>>, 'operator'>): Promise<{
  readonly key: string;
  readonly token: string;
}> {
  const account = 'account@bench.example';
  await operator('plan', 'set', 'bench', '--per-minute', '100000000', '--per-day', '1000000000');
  await operator('account', 'create', '--email', account, '--plan', 'bench');
  const { key } = await operator<{ key: string }>('key', 'create', '--account', account, '--name', 'bench');
  const { token } = await operator<{ token: string }>(
    ...['token', 'create', '--subject', 'bench', '--scope', 'signals:write'],
  );
  return { key, token };
}
