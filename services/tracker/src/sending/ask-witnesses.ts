import { reasonOf } from '@sigcast/runtime';
import { cosignedAt, type PolicyWitness, readNote, signatureLine } from '@sigcast/tlog';
import { request } from 'undici';
import type { Witnesses } from '../domain/tlog/ports.ts';

/** For one question to a witness, in milliseconds. */
const timeoutMs = 2_000;
/** For how long a witness that did not cosign is left out, in milliseconds: it never delays checkpoint after checkpoint. */
const leftOutMs = 60_000;
/** The most bytes of an answer that are read. */
const maxAnswerBytes = 16_384;

type AskedWitness = PolicyWitness & { readonly url: string };

/** The witnesses of a policy that have an address, asked by C2SP tlog-witness: `POST <address>/add-checkpoint`. */
export function askWitnesses(
  witnesses: readonly PolicyWitness[],
  {
    refused,
    now = Date.now,
  }: { readonly refused: (witness: string, reason: string) => void; readonly now?: () => number },
): Witnesses {
  const asked = witnesses.filter((witness): witness is AskedWitness => witness.url !== undefined);
  /** The size of the tree that a witness has cosigned last, where that is known. */
  const sizes = new Map<string, number>();
  const leftOutUntil = new Map<string, number>();
  return {
    cosign: async ({ size, note }, prove) => {
      const ask = async ({ name, url, verifier }: AskedWitness): Promise<string> => {
        if (now() < (leftOutUntil.get(name) ?? 0)) return '';
        const add = async (old: number) => {
          const proof = old === 0 ? [] : await prove(old);
          const lines = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
          return post(`${url.replace(/\/$/, '')}/add-checkpoint`, `old ${old}\n${lines}\n${note}`);
        };
        try {
          let answer = await add(sizes.get(name) ?? 0);
          // It says which tree it knows.
          const known = /^(0|[1-9]\d{0,15})\n$/.exec(answer.body)?.[1];
          if (answer.status === 409 && known !== undefined && Number(known) <= size)
            answer = await add(Number(known));
          if (answer.status !== 200)
            throw new Error(`it answered ${answer.status}: ${answer.body.slice(0, 200)}`);
          const { text = '', signatures = [] } =
            readNote(note.replace(/\n\n[\s\S]*$/, `\n\n${answer.body}`)) ?? {};
          const own = signatures.filter(
            (one) => cosignedAt({ text, signatures: [one] }, verifier) !== undefined,
          );
          if (own.length === 0) throw new Error('its answer has no valid cosignature');
          sizes.set(name, size);
          return own.slice(0, 1).map(signatureLine).join('');
        } catch (error) {
          leftOutUntil.set(name, now() + leftOutMs);
          sizes.delete(name);
          refused(name, reasonOf(error));
          return '';
        }
      };
      return (await Promise.all(asked.map(ask))).join('');
    },
  };
}

async function post(url: string, body: string): Promise<{ readonly status: number; readonly body: string }> {
  const { statusCode: status, body: answer } = await request(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    if (text.length > maxAnswerBytes) throw new Error('its answer is too long');
  }
  return { status, body: text };
}
