import { type ChatMessage, fitted } from './message.ts';
import { inLine, joined } from './plain-line.ts';

/** The most characters of all embeds of a message, and the most of them. */
const maxCharacters = 6_000;
const maxEmbeds = 10;
/** The most characters of the title of an embed, and of the value of a field. */
const maxTitle = 256;
const maxValue = 1_024;

const colours = { good: 0x2f9e44, bad: 0xe03131, neutral: 0x1c7ed6 } as const;

/** Every character of ASCII that may have a meaning in Discord's Markdown, escaped. It also keeps addresses from becoming links. */
function escaped(text: string, max: number): string {
  return joined(
    [...text].map((character) => character.replace(/[!-/:-@[-`{-~]/, '\\$&')),
    max,
  );
}

/** The body of a request to a webhook of Discord: an embed for each message, which mentions nobody. */
export function discordBody(messages: readonly ChatMessage[]): string {
  const share = Math.floor(maxCharacters / messages.length);
  const embeds = messages
    .slice(0, maxEmbeds)
    .map((message) => embedOf(fitted(message, share, (one) => charactersOf(embedOf(one)))));
  return JSON.stringify({ embeds, allowed_mentions: { parse: [] } });
}

type Embed = {
  readonly title: string;
  readonly color: number;
  readonly description?: string;
  readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
};

function embedOf({ title, subject, figures, links, tone, compact }: ChatMessage): Embed {
  const line = links.map(({ text, url }) => `[${text}](${url})`).join(' · ');
  const values = figures.map(({ label, value }) => `${label}: ${escaped(inLine(value), maxValue)}`);
  const description = [...(compact ? values : []), ...(line === '' ? [] : [line])].join(' · ');
  return {
    title: escaped(`${title}: ${inLine(subject)}`, maxTitle),
    color: colours[tone],
    ...(description !== '' && { description }),
    ...(!compact && {
      fields: figures.map(({ label, value }) => ({
        name: label,
        value: escaped(inLine(value), maxValue),
        inline: value.length <= 40,
      })),
    }),
  };
}

/** The characters that Discord counts. */
function charactersOf({ title, description = '', fields = [] }: Embed): number {
  return fields.reduce(
    (sum, { name, value }) => sum + name.length + value.length,
    title.length + description.length,
  );
}
