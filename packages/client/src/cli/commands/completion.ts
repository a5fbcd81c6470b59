import type { Command } from '../command.ts';
import { commonOptions } from '../help.ts';

/** `completion`: a script by which a shell completes the given commands. */
export function completionCommand(commands: readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Print a script that completes commands and options in bash and zsh',
    details: `In bash, add this line to ~/.bashrc:  eval "$(sigcast completion)"
In zsh, add it to ~/.zshrc, behind:     autoload -U +X bashcompinit && bashcompinit`,
    run: async ({ io }) => io.print(script(commands)),
  };
}

function script(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name.split(' '));
  const firstWords = [...new Set(names.map(([first]) => first))];
  const groups = firstWords
    .map((first) => ({ first, rest: names.flatMap(([word, ...rest]) => (word === first ? rest : [])) }))
    .filter(({ rest }) => rest.length > 0);
  const cases = [
    ...groups.map(({ first, rest }) => {
      const alone = commands.find(({ name }) => name === first);
      return { typed: `'${first} '`, words: [...rest, ...(alone ? optionsOf(alone.options) : [])] };
    }),
    ...commands.map(({ name, options }) => ({ typed: `'${name} '*`, words: optionsOf(options) })),
    { typed: "' '", words: firstWords },
  ];
  return `_sigcast() {
  local words= typed="\${COMP_WORDS[*]:1:COMP_CWORD-1} "
  case "$typed" in
${cases.map(({ typed, words }) => `    ${typed}) words='${words.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sigcast sigcast`;
}

function optionsOf(options: Command['options']): string[] {
  return Object.keys({ ...options, ...commonOptions }).map((name) => `--${name}`);
}
