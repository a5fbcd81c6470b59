import { generateKeyPairSync } from 'node:crypto';
import type { Signal, SignalProof } from '@sigcast/client';
import { checkpointText, inclusionProof, leafHash, signNote, TileEdge, verifierKey } from '@sigcast/tlog';
import { describe, expect, it } from 'vitest';
import { isOpen, verifyProof } from '../src/routes/signals/verify-proof.ts';

const origin = 'api.example/log';
const signer = { name: origin, privateKey: generateKeyPairSync('ed25519').privateKey };
const keys = `${verifierKey({ ...signer, privateKey: generateKeyPairSync('ed25519').privateKey })}\n${verifierKey(signer)}\n`;
const [id, created_at] = ['sig_1', '2026-01-02T00:00:00.000Z'];
const token = { chain: 'solana', contract: 'abc', symbol: 'A' };
const facts = { type: 'new', created_at, token, is_premium: false, metrics: { mcap_entry: 1_000 } };
const published = { kind: 'signal', signal: id, ...facts };
const decided = { kind: 'outcome', signal: id, status: 'winner' };
const signal = (status: string) => ({ id, ...facts, performance: { status } }) as Signal;

/** A log of `size` entries that has these at these numbers, and its proof of them. */
async function proofOf(size: number, own: ReadonlyMap<number, object>): Promise<SignalProof> {
  const texts = Array.from({ length: size }, (_, n) => JSON.stringify(own.get(n) ?? { n }));
  const edge = new TileEdge();
  const tiles = new Map<string, readonly Buffer[]>();
  for (const { level, index, hashes } of edge.append(texts.map((text) => leafHash(Buffer.from(text))))) {
    tiles.set(`${level}/${index}`, hashes);
  }
  const checkpoint = signNote(checkpointText({ origin, size, root: edge.root }), [signer]);
  const entries = [...own.keys()].map(async (index) => {
    const proof = await inclusionProof(index, size, async ({ level, index: tile }) => {
      return tiles.get(`${level}/${tile}`) ?? [];
    });
    const kind = 'signal' as const;
    const hashes = proof.map((hash) => hash.toString('base64'));
    return { index, kind, entry: texts[index] ?? '', proof: hashes, tlog_proof: '' };
  });
  return { id, origin, checkpoint, entries: await Promise.all(entries) };
}

const both = (size: number) =>
  proofOf(
    size,
    new Map<number, object>([
      [size - 2, published],
      [size - 1, decided],
    ]),
  );
const failing = async (proof: SignalProof, shown = signal('winner'), known = keys) => {
  const { checks } = await verifyProof(proof, known, shown);
  return checks.filter(({ holds }) => holds !== true).map(({ what, holds }) => [what.slice(0, 22), holds]);
};
const content = ['The log has the token,', false];
const tree = ['Its entries are in the', false];
const signature = ['The checkpoint is sign', false];

describe('what the public log has about a signal', () => {
  it.each([2, 3, 7, 256, 257, 700])('is verified in the browser, in a tree of %i entries', async (size) => {
    const verified = await verifyProof(await both(size), keys, signal('winner'));
    expect(isOpen(verified)).toBe(false);
    expect(verified.checks.every(({ holds }) => holds)).toBe(true);
    expect(verified.entries).toEqual([
      { index: size - 2, says: 'signal' },
      { index: size - 1, says: 'winner' },
    ]);
  });

  it('does not verify where anything of it was changed', async () => {
    const proof = await both(300);
    const [first, second] = proof.entries;
    if (first === undefined || second === undefined) throw new Error('there are two entries');
    const withFirst = (changed: object) => ({ ...proof, entries: [{ ...first, ...changed }, second] });
    const other = proof.checkpoint.replace('\n300\n', '\n301\n');
    expect(await failing(withFirst({ index: 3 }))).toEqual([tree]);
    expect(await failing(withFirst({ proof: first.proof.slice(1) }))).toEqual([tree]);
    expect(await failing(withFirst({ proof: [...first.proof, ...first.proof] }))).toEqual([tree]);
    expect(await failing(withFirst({ entry: first.entry.replace('abc', 'abd') }))).toEqual([content, tree]);
    expect(await failing({ ...proof, origin: 'other' })).toEqual([tree, signature]);
    expect(await failing({ ...proof, checkpoint: other })).toEqual([tree, signature]);
    expect(await failing(proof, signal('dead'))).toEqual([['The log has the outcom', false]]);
    for (const shown of [
      { created_at: '2025-01-01T00:00:00.000Z' },
      { is_premium: true },
      { metrics: { mcap_entry: 900 } },
      { token: { ...token, symbol: 'B' } },
      { type: '3d' },
    ]) {
      expect(await failing(proof, { ...signal('winner'), ...shown } as Signal)).toEqual([content]);
    }
    expect(await failing(withFirst({ entry: '{' }))).toEqual([content, tree]);
    expect(await failing(withFirst({ proof: ['&'] }))).toEqual([tree]);
    expect(await failing(proof, signal('winner'), keys.split('\n')[0])).toEqual([signature]);
  });

  it('is open where the outcome is not there yet, or the browser has nothing to verify it with', async () => {
    const proof = await proofOf(5, new Map([[4, published]]));
    expect(await failing(proof)).toEqual([['The log has the outcom', null]]);
    expect(await failing(proof, signal('active'))).toEqual([]);
    const { checks } = await verifyProof(proof, keys, signal('active'), null);
    expect(checks.map(({ holds }) => holds)).toEqual([true, null, null]);
  });
});
