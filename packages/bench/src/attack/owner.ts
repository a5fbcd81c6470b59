import { setTimeout as delay } from 'node:timers/promises';

const password = 'correct horse battery';
const pauseMs = 500;

type SignIns = { readonly device: 'known' | 'new'; fulfilled: number; of: number; slowestMs: number };

/**
 * An account whose owner signs in: with the cookies of a browser that has signed in before, from a network of the attack, and
 * with a new browser from another network.
 */
export async function signUpOwner(origin: string) {
  const email = `owner-${Date.now()}@bench.example`;
  const send = async (path: string, address: string, cookie = '') => {
    const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address, Cookie: cookie };
    const body = JSON.stringify({ email, password });
    const answer = await fetch(origin + path, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer;
  };
  const signedUp = await send('/account', '192.0.2.1');
  if (!signedUp.ok) throw new Error(`signing up was answered ${signedUp.status}`);
  const cookie = signedUp.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');

  const signInAgain = () => {
    const stopping = new AbortController();
    const keepOn = async (device: SignIns['device'], address: string, cookies?: string): Promise<SignIns> => {
      const counts: SignIns = { device, fulfilled: 0, of: 0, slowestMs: 0 };
      while (!stopping.signal.aborted) {
        const startedAt = performance.now();
        const ok = await send('/account/session', address, cookies).then(
          (answer) => answer.ok,
          () => false,
        );
        counts.of += 1;
        if (ok) counts.fulfilled += 1;
        counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startedAt);
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
      return counts;
    };
    const both = Promise.all([keepOn('known', '198.18.0.1', cookie), keepOn('new', '192.0.2.2')]);
    return {
      stop: () => {
        stopping.abort();
        return both;
      },
    };
  };
  return { email, signInAgain };
}
