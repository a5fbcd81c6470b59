/** A command, as the help of an operator program lists it. */
export type CommandText = { readonly usage: string };

/**
 * A script for bash that completes a service and one of its commands behind `program`.
 * @param program the words in front, such as `npx pnpm@12 operator`.
 */
export function completionScript(
  program: string,
  services: Readonly<Record<string, readonly CommandText[]>>,
): string {
  const cases = Object.entries(services).flatMap(([service, commands]) => casesOf(service, commands));
  const lines = cases.map(({ typed, words }) => `    ${typed}) words='${words.join(' ')}' ;;`);
  const [command = ''] = program.split(' ');
  return `_sigcast_operator() {
  local words= line="\${COMP_LINE:0:COMP_POINT}"
  local typed="\${line#"${program} "}"
  [ "$typed" != "$line" ] || return 0
  local last="\${typed##* }"
  case "\${typed%"$last"}" in
${lines.join('\n')}
    '') words='${Object.keys(services).join(' ')}' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$last"))
}
complete -o default -F _sigcast_operator ${command}`;
}

function casesOf(service: string, commands: readonly CommandText[]) {
  const known = commands.map(({ usage }) => ({
    // The name is what comes before placeholders, options and alternatives.
    name: /^[a-z]+(?: [a-z]+)*/.exec(usage)?.[0] ?? '',
    options: usage.match(/--[a-z-]+/g) ?? [],
  }));
  const firstWords = [...new Set(known.map(({ name }) => name.split(' ')[0] ?? ''))];
  const restOf = (first: string) =>
    known.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
  return [
    ...known.map(({ name, options }) => ({
      typed: `'${service} ${name} '*`,
      words: [...options, '--json', '--help'],
    })),
    ...firstWords
      .map((first) => ({ typed: `'${service} ${first} '`, words: restOf(first) }))
      .filter(({ words }) => words.length > 0),
    { typed: `'${service} '`, words: firstWords },
  ];
}
