import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  cosignedAt,
  cosignedText,
  readNote,
  readPolicy,
  readVerifierKey,
  signatureLine,
  verifierKey,
} from '../src/index.ts';

const newKey = (name: string, kind: 'signer' | 'cosigner') =>
  verifierKey({ name, privateKey: generateKeyPairSync('ed25519').privateKey }, kind);
const log = newKey('log.example', 'signer');
const witness = (name: string) => `witness ${name} ${newKey(`${name}.example`, 'cosigner')}\n`;

describe('a policy', () => {
  const text = `# an example\n\n log\t${log} https://log.example\n${['X1', 'X2', 'X3', 'Y1', 'Y2'].map(witness).join('')}
group X 2 X1 X2 X3
group Y any Y1 Y2
group all all X Y
quorum all`;

  it.each([
    [['X1', 'X3', 'Y2'], true],
    [['X1', 'X2', 'X3'], false],
    [['X1', 'Y1', 'Y2'], false],
    [[], false],
  ])('with groups in groups is met by %j: %s', (cosigners, isMet) => {
    const policy = readPolicy(text);
    expect(policy.isMet(new Set(cosigners))).toBe(isMet);
    expect(policy.logs.map(({ name }) => name)).toEqual(['log.example']);
    expect(policy.witnesses).toHaveLength(5);
  });

  it('without witnesses is met by nobody’s cosignature', () => {
    expect(readPolicy('quorum none\n').isMet(new Set())).toBe(true);
  });

  it.each([
    ['', 'the policy has no quorum'],
    ['quorum none\nquorum none\n', 'line 2 of the policy: there is a second quorum'],
    ['quorum A\n', '"A" is not defined above'],
    [`log ${newKey('a', 'cosigner')}\n`, 'this is no key of a log'],
    [`witness A ${newKey('a', 'signer')}\n`, 'this is no key of a witness'],
    [`log ${log}\nlog ${log}\n`, 'line 2 of the policy: the key is there twice'],
    [`${witness('A')}group G 2 A\n`, '"2" is not between 1 and its members'],
    [`${witness('A')}group G constructor A\n`, '"constructor" is not between 1 and its members'],
    ['group G all\n', '"all" is not between 1 and its members'],
    [`${witness('A')}group G any A A\n`, '"A" is a member twice'],
    [`${witness('none')}`, 'the name "none" is taken'],
    [`${witness('A')}${witness('A')}`, 'the name "A" is taken'],
    ['witnes A\n', '"witnes" is not log, witness, group or quorum'],
  ])('%j is refused', (wrong, message) => {
    expect(() => readPolicy(wrong)).toThrow(message);
  });
});

describe('a cosignature', () => {
  it('is verified with its time, and not with another text, time, name or key', () => {
    const signer = { name: 'w.example', privateKey: generateKeyPairSync('ed25519').privateKey };
    const verifier = readVerifierKey(verifierKey(signer, 'cosigner'), 'cosigner');
    const text = 'log.example\n5\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
    expect(cosignedText(text, 1_679_315_147)).toBe(`cosignature/v1\ntime 1679315147\n${text}`);
    const noteOf = (timeS: number, signed = text, name = signer.name) => {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(BigInt(timeS));
      const own = sign(null, Buffer.from(cosignedText(signed, 1_679_315_147)), signer.privateKey);
      const signature = Buffer.concat([time, own]);
      return readNote(`${text}\n${signatureLine({ name, id: verifier.id, signature })}`);
    };
    const at = (note = noteOf(1_679_315_147), key = verifier) => note && cosignedAt(note, key);
    expect(at()).toBe(1_679_315_147);
    expect(at(noteOf(1_679_315_148))).toBeUndefined();
    expect(at(noteOf(1_679_315_147, 'log.example\n6\n'))).toBeUndefined();
    expect(at(noteOf(1_679_315_147, text, 'v.example'))).toBeUndefined();
    expect(at(undefined, readVerifierKey(newKey('w.example', 'cosigner'), 'cosigner'))).toBeUndefined();
  });

  it('has its time in front, as the specification’s example', () => {
    // C2SP tlog-cosignature gives the line, not the key: its id and its time can be read.
    const note = readNote(
      'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n',
    );
    expect(note?.signatures[0]?.signature.readBigUInt64BE()).toBe(1_679_315_147n);
  });
});
