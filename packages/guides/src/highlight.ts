import { createRequire } from 'node:module';
import { escapeHtml } from './escape.ts';

/** What is used of highlight.js. Its own types would bring those of browsers into every program here. */
type Highlighter = {
  registerLanguage(name: string, language: unknown): void;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
};

const require = createRequire(import.meta.url);
const highlighter = require('highlight.js/lib/core') as Highlighter;

/** Languages of samples, by the name that a sample says, each with the name of its file in highlight.js. */
const languages: Readonly<Record<string, string>> = {
  go: 'go',
  http: 'http',
  js: 'javascript',
  json: 'json',
  php: 'php',
  python: 'python',
  ruby: 'ruby',
  sh: 'bash',
};
for (const [name, file] of Object.entries(languages)) {
  highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${file}`));
}

/** Code as HTML, with classes for its parts where the language is known. */
export function highlight(code: string, language: string): string {
  if (!Object.hasOwn(languages, language)) return escapeHtml(code);
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
}
