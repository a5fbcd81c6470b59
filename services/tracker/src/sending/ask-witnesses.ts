import { reasonOf } from '@sigcast/runtime';
import { cosignedAt, type PolicyWitness, readNote, signatureLine } from '@sigcast/tlog';
import { request } from 'undici';
import type { Witnesses } from '../domain/tlog/ports.ts';

/** For all that a witness is asked about one checkpoint, in milliseconds. */
const timeoutMs = 1_000;
/**
 * For how long a witness that did not cosign is left out, in milliseconds: at first, and at most. Each time in a row doubles it,
 * so that one that is silent for good delays less than a thousandth of the checkpoints.
 */
const leftOutMs = { first: 60_000, most: 3_600_000 };
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
  const leftOut = new Map<string, { readonly untilMs: number; readonly forMs: number }>();
  return {
    cosign: async ({ size, note }, prove) => {
      const ask = async ({ name, url, verifier }: AskedWitness): Promise<string> => {
        const { untilMs, forMs } = leftOut.get(name) ?? { untilMs: 0, forMs: leftOutMs.first / 2 };
        if (now() < untilMs) return '';
        const signal = AbortSignal.timeout(timeoutMs);
        const add = async (old: number) => {
          const proof = old === 0 ? [] : await prove(old);
          const lines = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
          return post(`${url.replace(/\/$/, '')}/add-checkpoint`, `old ${old}\n${lines}\n${note}`, signal);
        };
        try {
          let answer = await add(sizes.get(name) ?? 0);
          // It says which tree it knows.
          const known = /^(0|[1-9]\d{0,15})\n$/.exec(answer.body)?.[1];
          if (answer.status === 409 && known !== undefined) {
            if (Number(known) > size) throw new LostHistory(name, Number(known), size);
            answer = await add(Number(known));
          }
          if (answer.status !== 200)
            throw new Error(`it answered ${answer.status}: ${answer.body.slice(0, 200)}`);
          const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
          const { signatures = [] } = readNote(`${text}\n${answer.body}`) ?? {};
          const own = signatures.filter(
            (one) => cosignedAt({ text, signatures: [one] }, verifier) !== undefined,
          );
          if (own.length === 0) throw new Error('its answer has no valid cosignature');
          sizes.set(name, size);
          leftOut.delete(name);
          return own.slice(0, 1).map(signatureLine).join('');
        } catch (error) {
          if (error instanceof LostHistory) throw error;
          const nextMs = Math.min(2 * forMs, leftOutMs.most);
          leftOut.set(name, { untilMs: now() + nextMs, forMs: nextMs });
          refused(name, reasonOf(error));
          return '';
        }
      };
      return (await Promise.all(asked.map(ask))).join('');
    },
  };
}

/** A witness has cosigned a larger tree: the store has lost entries that were published, and nothing may be signed. */
class LostHistory extends Error {
  constructor(witness: string, known: number, size: number) {
    super(`the log has ${size} entries stored, and ${witness} has cosigned ${known}: import the others`);
  }
}

async function post(
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  const { statusCode: status, body: answer } = await request(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    signal,
  });
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    if (text.length > maxAnswerBytes) throw new Error('its answer is too long');
  }
  return { status, body: text };
}
