import { type NoteVerifier, readVerifierKey } from './note.ts';

/** A witness of a policy: its name there, its key, and the address that it takes checkpoints at, where the policy says. */
export type PolicyWitness = {
  readonly name: string;
  readonly verifier: NoteVerifier;
  readonly url: string | undefined;
};

/** Which logs one accepts, and who has to have cosigned a checkpoint (C2SP tlog-policy). */
export type Policy = {
  readonly logs: readonly NoteVerifier[];
  readonly witnesses: readonly PolicyWitness[];
  /** Whether a checkpoint that these witnesses have cosigned, by their names in the policy, has enough cosignatures. */
  isMet(cosigners: ReadonlySet<string>): boolean;
};

type Rule = (cosigners: ReadonlySet<string>) => boolean;

/** Reads the text of a policy. @throws {TypeError} that names the line that is wrong. */
export function readPolicy(text: string): Policy {
  const logs: NoteVerifier[] = [];
  const witnesses: PolicyWitness[] = [];
  const rules = new Map<string, Rule>();
  const members = new Set<string>();
  let quorum: Rule | undefined;
  const define = (name: string, rule: Rule) => {
    if (name === '' || name === 'none' || rules.has(name)) throw new TypeError(`the name "${name}" is taken`);
    rules.set(name, rule);
  };
  const known = (name: string): Rule => {
    const rule = rules.get(name);
    if (rule === undefined) throw new TypeError(`"${name}" is not defined above`);
    return rule;
  };
  const unlike = (verifier: NoteVerifier, others: readonly NoteVerifier[]) => {
    if (others.some(({ publicKey }) => publicKey.equals(verifier.publicKey)))
      throw new TypeError('the key is there twice');
    return verifier;
  };
  const read = ([keyword = '', ...words]: readonly string[]) => {
    const [name = '', second = '', url] = words;
    switch (keyword) {
      case 'log':
        logs.push(unlike(readVerifierKey(name), logs));
        return;
      case 'witness': {
        const keys = witnesses.map(({ verifier }) => verifier);
        witnesses.push({ name, verifier: unlike(readVerifierKey(second, 'cosigner'), keys), url });
        define(name, (cosigners) => cosigners.has(name));
        return;
      }
      case 'group': {
        const names = words.slice(2);
        const least = second === 'all' ? names.length : second === 'any' ? 1 : Number(second);
        if (!/^(all|any|[1-9]\d*)$/.test(second) || names.length === 0 || least > names.length)
          throw new TypeError(`"${second}" is not between 1 and its members`);
        const of = names.map(known);
        for (const member of names) {
          if (members.has(member)) throw new TypeError(`"${member}" is a member twice`);
          members.add(member);
        }
        define(name, (cosigners) => of.filter((rule) => rule(cosigners)).length >= least);
        return;
      }
      case 'quorum':
        if (quorum !== undefined) throw new TypeError('there is a second quorum');
        quorum = name === 'none' ? () => true : known(name);
        return;
      default:
        throw new TypeError(`"${keyword}" is not log, witness, group or quorum`);
    }
  };
  for (const [n, line] of text.split('\n').entries()) {
    const words = line.split(/[ \t]+/).filter((word) => word !== '');
    if (words.length === 0 || words[0]?.startsWith('#')) continue;
    try {
      read(words);
    } catch (error) {
      throw new TypeError(`line ${n + 1} of the policy: ${(error as Error).message}`);
    }
  }
  if (quorum === undefined) throw new TypeError('the policy has no quorum');
  return { logs, witnesses, isMet: quorum };
}
