import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { listenOnLoopback } from '@sigcast/testing';
import {
  cosignedText,
  type Hash,
  isSignedBy,
  type NoteVerifier,
  nodeHash,
  readCheckpoint,
  readNote,
  readVerifierKey,
  signatureLine,
  verifierKey,
} from '@sigcast/tlog';

/** A witness (C2SP tlog-witness) of one log, which keeps what it has cosigned in memory. */
export type TestWitness = AsyncDisposable & {
  readonly url: string;
  readonly key: string;
  /** The sizes of the trees that it has cosigned, in order. */
  readonly cosigned: readonly number[];
  /** Its statuses, in order. */
  readonly answers: readonly number[];
  /** Answers with this status until it is undefined; or with 409 and then not at all. */
  fails: number | 'silent after 409' | undefined;
};

export async function startWitness(name: string, log: NoteVerifier): Promise<TestWitness> {
  const signer = { name, privateKey: generateKeyPairSync('ed25519').privateKey };
  const key = verifierKey(signer, 'cosigner');
  const { id } = readVerifierKey(key, 'cosigner');
  let latest: { size: number; root: Hash } = { size: 0, root: Buffer.alloc(0) };
  const cosigned: number[] = [];
  const answers: number[] = [];

  const add = (body: string): [status: number, answer: string] => {
    const end = body.indexOf('\n\n');
    const [first = '', ...lines] = body.slice(0, end).split('\n');
    const old = Number(/^old (0|[1-9]\d*)$/.exec(first)?.[1]);
    const note = readNote(body.slice(end + 2));
    const checkpoint = note && readCheckpoint(note.text);
    if (note === undefined || checkpoint === undefined || Number.isNaN(old) || old > checkpoint.size)
      return [400, ''];
    if (checkpoint.origin !== log.name) return [404, ''];
    if (!isSignedBy(note, log)) return [403, ''];
    if (old !== latest.size) return [409, `${latest.size}\n`];
    const proof = lines.map((line) => Buffer.from(line, 'base64'));
    if (!isConsistent(latest, checkpoint, proof)) return [422, ''];
    latest = checkpoint;
    cosigned.push(checkpoint.size);
    const timeS = Math.floor(Date.now() / 1_000);
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(timeS));
    const signature = sign(null, Buffer.from(cosignedText(note.text, timeS)), signer.privateKey);
    return [200, signatureLine({ name, id, signature: Buffer.concat([time, signature]) })];
  };

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (witness.fails === 'silent after 409' && answers.length > 0) return;
      const isUp = witness.fails === undefined;
      const [status, answer] = isUp ? add(Buffer.concat(chunks).toString()) : failureOf(witness.fails);
      answers.push(status);
      res.writeHead(status, { 'content-type': status === 409 ? 'text/x.tlog.size' : 'text/plain' });
      res.end(answer);
    });
  });
  const witness: TestWitness = {
    url: `${await listenOnLoopback(server)}/`,
    key,
    cosigned,
    answers,
    fails: undefined,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return witness;
}

function failureOf(fails: TestWitness['fails']): [status: number, answer: string] {
  return typeof fails === 'number' ? [fails, ''] : [409, '0\n'];
}

type Tree = { readonly size: number; readonly root: Hash };

/** RFC 9162, 2.1.4.2. */
function isConsistent(old: Tree, tree: Tree, proof: readonly Hash[]): boolean {
  if (old.size === 0) return proof.length === 0;
  if (old.size === tree.size) return proof.length === 0 && old.root.equals(tree.root);
  const path = Number.isInteger(Math.log2(old.size)) ? [old.root, ...proof] : [...proof];
  let [node, last] = [old.size - 1, tree.size - 1];
  while (node % 2 === 1) [node, last] = [(node - 1) / 2, Math.floor(last / 2)];
  const [seed, ...rest] = path;
  if (seed === undefined) return false;
  let [former, latter] = [seed, seed];
  for (const hash of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      former = nodeHash(hash, former);
      latter = nodeHash(hash, latter);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else latter = nodeHash(latter, hash);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && former.equals(old.root) && latter.equals(tree.root);
}
