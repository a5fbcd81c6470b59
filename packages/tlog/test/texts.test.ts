import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  checkpointText,
  entriesOf,
  entriesPath,
  entryBundle,
  isSignedBy,
  leafHash,
  proofText,
  readCheckpoint,
  readNote,
  readTilePath,
  readVerifierKey,
  signNote,
  tilePath,
  verifierKey,
} from '../src/index.ts';

/** The example of C2SP signed-note. */
const example = {
  note: 'This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
  key: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
};
/** The example of Go's sumdb/note: the seed of its private key, and the note that it signs. */
const neumann = {
  seed: Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1),
  text: 'If you think cryptography is the answer to your problem,\nthen you don’t know what your problem is.\n'.replace(
    '’',
    "'",
  ),
  line: '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n',
};
const privateKeyOf = (seed: Buffer) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });

describe('a note', () => {
  it('is verified as the specification’s example, and signed as another implementation’s', () => {
    const note = readNote(example.note);
    expect(note && isSignedBy(note, readVerifierKey(example.key))).toBe(true);
    const signer = { name: 'PeterNeumann', privateKey: privateKeyOf(neumann.seed) };
    expect(signNote(neumann.text, [signer])).toBe(`${neumann.text}\n${neumann.line}`);
    expect(verifierKey(signer)).toMatch(/^PeterNeumann\+c74f20a3\+/);
  });

  it('is refused with another text, another name, another key, or a first signature that is wrong', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const signer = { name: 'log.example/log', privateKey };
    const key = readVerifierKey(verifierKey(signer));
    const signed = signNote('text\n', [signer]);
    const isValid = (text: string, verifier = key) => {
      const note = readNote(text);
      return note !== undefined && isSignedBy(note, verifier);
    };
    expect(isValid(signed)).toBe(true);
    expect(isValid(signed.replace('text', 'test'))).toBe(false);
    expect(isValid(signed.replace('log.example/log', 'log.example/lag'))).toBe(false);
    expect(isValid(signed, readVerifierKey(example.key))).toBe(false);
    const other = signNote('other\n', [signer]).split('\n\n')[1] ?? '';
    expect(isValid(signed.replace('\n\n', `\n\n${other}`))).toBe(false);
    for (const broken of [
      'text\n',
      'text\n\n',
      `${signed}x`,
      signed.replace('— ', '- '),
      signed.replace(/[^ ]+\n$/, 'AAAA\n'),
    ])
      expect(readNote(broken)).toBeUndefined();
  });

  it('has the id of its key, which is another one for a key that cosigns (C2SP signed-note, tlog-cosignature)', () => {
    const signer = { name: 'a.example', privateKey: privateKeyOf(neumann.seed) };
    const { x = '' } = createPublicKey(signer.privateKey).export({ format: 'jwk' });
    const raw = Buffer.from(x, 'base64url');
    const textOf = (name: string, idKind: number, kind: number, bytes: Buffer) => {
      const hashed = createHash('sha256').update(`${name}\n`).update(Uint8Array.of(idKind)).update(bytes);
      const id = hashed.digest('hex').slice(0, 8);
      return `${name}+${id}+${Buffer.concat([Uint8Array.of(kind), bytes]).toString('base64')}`;
    };
    expect(verifierKey(signer)).toBe(textOf('a.example', 1, 1, raw));
    expect(verifierKey(signer, 'cosigner')).toBe(textOf('a.example', 4, 4, raw));
    // Another kind, another length, another form of a name, each with the id that it would have.
    for (const wrong of [
      textOf('a.example', 1, 4, raw),
      textOf('a.example', 1, 1, raw.subarray(1)),
      textOf('a.example', 1, 1, Buffer.concat([raw, raw])),
      textOf('a example', 1, 1, raw),
    ]) {
      expect(() => readVerifierKey(wrong)).toThrow(new TypeError('this is no key of a log'));
    }
  });

  it('has signatures of a byte at least, behind four bytes of an id', () => {
    const noteOf = (bytes: number) => `text\n\n— a ${Buffer.alloc(bytes, 1).toString('base64')}\n`;
    expect(readNote(noteOf(4))).toBeUndefined();
    expect(readNote(noteOf(5))?.signatures).toEqual([
      { name: 'a', id: Buffer.alloc(4, 1), signature: Buffer.alloc(1, 1) },
    ]);
    expect(readNote(noteOf(5).slice('text'.length + 1))).toBeUndefined();
    expect(readNote(`\n\n${noteOf(5).split('\n\n')[1]}`)?.text).toBe('\n');
  });

  it.each(['', 'a+b', example.key.replace('530d903a', '530d903b'), example.key.replace('foo', 'fo')])(
    'has no key %j',
    (text) => expect(() => readVerifierKey(text)).toThrow(TypeError),
  );
});

describe('a checkpoint', () => {
  const root = leafHash(Buffer.from('x'));
  const text = checkpointText({ origin: 'log.example/log', size: 70_000, root });

  it('is read as it was written, with what other lines it has', () => {
    expect(text).toBe(`log.example/log\n70000\n${root.toString('base64')}\n`);
    for (const one of [text, `${text}extension\n`])
      expect(readCheckpoint(one)).toEqual({ origin: 'log.example/log', size: 70_000, root });
  });

  it.each([
    text.slice(0, -1),
    text.replace('70000', '070000'),
    text.replace('70000', '-1'),
    text.replace('log.example/log', ''),
    text.replace('=', ''),
    `${text}\n`,
  ])('is not %j', (other) => expect(readCheckpoint(other)).toBeUndefined());

  it('ends a proof that can be verified without the log', () => {
    expect(proofText({ index: 7, proof: [root, root], checkpoint: 'note\n' })).toBe(
      `c2sp.org/tlog-proof@v1\nindex 7\n${root.toString('base64')}\n${root.toString('base64')}\n\nnote\n`,
    );
  });
});

describe('paths', () => {
  it('group the digits of a number by three', () => {
    expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067');
    expect(tilePath({ level: 2, index: 0, width: 1 })).toBe('tile/2/000.p/1');
    expect(entriesPath({ index: 1_000, width: 256 })).toBe('tile/entries/x001/000');
  });

  it('are read as they were written', () => {
    const tile = fc.record({
      level: fc.integer({ min: 0, max: 63 }),
      index: fc.nat(10 ** 10),
      width: fc.integer({ min: 1, max: 256 }),
    });
    fc.assert(
      fc.property(tile, (one) => {
        expect(readTilePath(tilePath(one))).toEqual({ kind: 'tile', ...one });
        expect(readTilePath(entriesPath(one))).toEqual({ kind: 'entries', ...one, level: 0 });
      }),
    );
  });

  it.each([
    ['tile/0/000', 0],
    ['tile/0/999', 999],
    ['tile/0/x999/x999/x999/x999/999', 999_999_999_999_999],
  ])('%j is tile %i', (path, index) => {
    expect(readTilePath(path)).toEqual({ kind: 'tile', level: 0, index, width: 256 });
  });

  it.each([
    ...['tile/0/0', 'tile/0/x000/001', 'tile/64/000', 'tile/-1/000', 'tile/0/000.p/0', 'tile/0/000.p/256'],
    ...[
      'tile/0/000/001',
      'tile/00/000',
      'tile/0/x001',
      'tile/0/000.p/01',
      'tile/0/../0/000',
      'tile/entries/',
    ],
    `tile/0/${'x999/'.repeat(6)}999`,
  ])('do not take %j', (path) => expect(readTilePath(path)).toBeUndefined());
});

describe('a bundle of entries', () => {
  it('has each behind its length, and is read back', () => {
    const entries = [Buffer.from('a'), Buffer.alloc(0), Buffer.alloc(65_535, 1)];
    const bundle = entryBundle(entries);
    expect(bundle.subarray(0, 5)).toEqual(Buffer.from([0, 1, 97, 0, 0]));
    expect(entriesOf(bundle)).toEqual(entries);
    expect(entriesOf(bundle.subarray(0, -1))).toBeUndefined();
    expect(entriesOf(Buffer.from([0]))).toBeUndefined();
    expect(entriesOf(Buffer.from([0, 0]))).toEqual([Buffer.alloc(0)]);
    expect(() => entryBundle([Buffer.alloc(65_536)])).toThrow(RangeError);
  });
});

describe('canonical JSON', () => {
  it('is that of RFC 8785: its example of names, numbers as ECMAScript writes them', () => {
    expect(
      canonicalJson({
        '\u20ac': 'Euro Sign',
        '\r': 'Carriage Return',
        '\ufb33': 'Hebrew Letter Dalet With Dagesh',
        '1': 'One',
        '\ud83d\ude00': 'Emoji: Grinning Face',
        '\u0080': 'Control',
        '\u00f6': 'Latin Small Letter O With Diaeresis',
      }),
    ).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\ud83d\ude00":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
    expect(canonicalJson({ b: [1e21, 1e30, 4.5, 0.002, 1e-27, -0, null, true], a: undefined })).toBe(
      '{"b":[1e+21,1e+30,4.5,0.002,1e-27,0,null,true]}',
    );
    expect(() => canonicalJson(Number.NaN)).toThrow(TypeError);
  });
});
