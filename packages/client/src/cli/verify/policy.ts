import {
  type Checkpoint,
  type Cosigner,
  cosignedAt,
  isSignedBy,
  type LogKey,
  readKey,
} from './checkpoint.ts';

type Rule = (cosigners: ReadonlySet<string>) => boolean;

/** Which logs are accepted, and who has to have cosigned their checkpoints (C2SP tlog-policy). */
export type Policy = {
  readonly logs: readonly LogKey[];
  /** The witnesses, by their names in the policy. */
  readonly witnesses: ReadonlyMap<string, Cosigner>;
  /** Whether these witnesses are enough. */
  readonly isQuorum: Rule;
};

/** Reads a policy. @throws {TypeError} that names the line that is wrong. */
export function readPolicy(text: string): Policy {
  const logs: LogKey[] = [];
  const witnesses = new Map<string, Cosigner>();
  const rules = new Map<string, Rule>([['none', () => true]]);
  const members = new Set<string>();
  let quorum: Rule | undefined;
  const need = (isRight: boolean, problem: string) => {
    if (!isRight) throw new TypeError(problem);
  };
  const keyOf = (key: string, kind: 'log' | 'cosigner', others: Iterable<LogKey>) => {
    const read = readKey(key, kind);
    if (read === undefined) throw new TypeError(`this is no key of a ${kind === 'log' ? 'log' : 'witness'}`);
    need(![...others].some(({ bytes }) => bytes.equals(read.bytes)), 'the key is there twice');
    return read;
  };
  const define = (name: string, rule: Rule) => {
    need(name !== '' && !rules.has(name), `the name "${name}" is taken`);
    rules.set(name, rule);
  };
  const ruleOf = (name: string): Rule => {
    const rule = rules.get(name);
    if (rule === undefined) throw new TypeError(`"${name}" is not defined above`);
    return rule;
  };
  const readLine = ([keyword, name = '', second = '', ...names]: readonly string[]) => {
    if (keyword === 'log') logs.push(keyOf(name, 'log', logs));
    else if (keyword === 'witness') {
      define(name, (cosigners) => cosigners.has(name));
      witnesses.set(name, keyOf(second, 'cosigner', witnesses.values()));
    } else if (keyword === 'group') {
      const count = second === 'all' ? String(names.length) : second === 'any' ? '1' : second;
      const least = /^[1-9]\d*$/.test(count) ? Number(count) : 0;
      need(least >= 1 && least <= names.length, `"${second}" is not between 1 and its members`);
      for (const member of names) {
        need(member !== 'none' && !members.has(member), `"${member}" can't be a member, or is one already`);
        members.add(member);
      }
      const of = names.map(ruleOf);
      define(name, (cosigners) => of.filter((rule) => rule(cosigners)).length >= least);
    } else {
      need(keyword === 'quorum', `"${keyword}" is not log, witness, group or quorum`);
      need(quorum === undefined, 'there is a second quorum');
      quorum = ruleOf(name);
    }
  };
  for (const [n, line] of text.split('\n').entries()) {
    const words = line.split(/[ \t\r]+/).filter((word) => word !== '');
    if (words.length === 0 || words[0]?.startsWith('#')) continue;
    try {
      readLine(words);
    } catch (error) {
      throw new TypeError(`line ${n + 1}: ${(error as Error).message}`);
    }
  }
  if (quorum === undefined || logs.length === 0) throw new TypeError('it names no log, or no quorum');
  return { logs, witnesses, isQuorum: quorum };
}

/** The key of a policy that has signed a checkpoint of its log. */
export function signerOf(checkpoint: Checkpoint, { logs }: Policy): LogKey | undefined {
  return logs.find((key) => key.name === checkpoint.origin && isSignedBy(checkpoint, key));
}

/** What a checkpoint lacks by a policy. */
export function lacking(checkpoint: Checkpoint, policy: Policy): string[] {
  const { witnesses, isQuorum } = policy;
  const names = [...witnesses.keys()];
  const missing = names.filter(
    (name) => cosignedAt(checkpoint, witnesses.get(name) as Cosigner) === undefined,
  );
  const cosigners = new Set(names.filter((name) => !missing.includes(name)));
  return [
    ...(signerOf(checkpoint, policy)
      ? []
      : [`The checkpoint of ${checkpoint.origin} is signed by no log of the policy`]),
    ...(isQuorum(cosigners)
      ? []
      : [`The checkpoint lacks the quorum of the policy: not cosigned by ${missing.join(', ')}`]),
  ];
}
