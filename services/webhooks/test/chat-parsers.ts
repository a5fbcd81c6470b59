import { expect } from 'vitest';

/** What a person sees of a message, by the rules of its provider. */
export type Shown = {
  readonly text: string;
  /** Texts that the provider shows as they are. */
  readonly verbatim: readonly string[];
  readonly links: readonly { readonly text: string; readonly url: string }[];
  /** How many parts are bold. */
  readonly bold: number;
  readonly characters: number;
};

/** Reads MarkdownV2 (Bot API, "MarkdownV2 style"). @throws where Telegram would answer 400. */
export function telegramText(source: string): Shown {
  const verbatim: string[] = [];
  const links: { text: string; url: string }[] = [];
  let text = '';
  let bold = 0;
  let at = 0;
  const until = (end: string, escapable: RegExp): string => {
    let inside = '';
    for (; at < source.length; at++) {
      const character = source[at] ?? '';
      if (character === end) {
        at++;
        return inside;
      }
      if (character === '\\' && escapable.test(source[at + 1] ?? '')) inside += source[++at];
      else inside += character;
    }
    throw new Error(`nothing ends ${end}`);
  };
  while (at < source.length) {
    const character = source[at++] ?? '';
    if (character === '\\') {
      expect(source.charCodeAt(at)).toBeLessThan(127);
      text += source[at++];
    } else if (character === '`') {
      const code = until('`', /[\\`]/);
      verbatim.push(code);
      text += code;
    } else if (character === '*') {
      const inside = until('*', /./);
      bold++;
      text += inside;
    } else if (character === '[') {
      const label = until(']', /./);
      expect(source[at++]).toBe('(');
      const url = until(')', /[\\)]/);
      links.push({ text: label, url });
      text += label;
    } else {
      expect('_[]()~>#+-=|{}.!').not.toContain(character);
      text += character;
    }
  }
  return { text, verbatim, links, bold, characters: source.length };
}

/** Reads Discord's Markdown of an embed, in which only our links may have a meaning. */
export function discordText(body: string): Shown {
  const { embeds, allowed_mentions } = JSON.parse(body) as {
    embeds: { title: string; description?: string; fields?: { name: string; value: string }[] }[];
    allowed_mentions: unknown;
  };
  expect(allowed_mentions).toEqual({ parse: [] });
  expect(embeds.length).toBeLessThanOrEqual(10);
  const verbatim: string[] = [];
  const links: { text: string; url: string }[] = [];
  let characters = 0;
  const plain = (source: string): string => {
    // Every punctuation of ASCII has a backslash in front, so nothing has a meaning.
    expect(source).toMatch(/^(?:\\[!-/:-@[-`{-~]|[^!-/:-@[-`{-~])*$/u);
    return source.replace(/\\(.)/gu, '$1');
  };
  for (const { title, description = '', fields = [] } of embeds) {
    expect(title.length).toBeLessThanOrEqual(256);
    expect(description.length).toBeLessThanOrEqual(4_096);
    verbatim.push(plain(title.replace(/^[\w ]+: /, '')));
    const rest = description.replace(/\[(\w+)\]\(([^()\s]+)\)/g, (_, text: string, url: string) => {
      links.push({ text, url });
      return '';
    });
    plain(rest.replace('Market cap: ', ''));
    for (const { name, value } of fields) {
      expect(name).toMatch(/^[\w ,]+$/);
      expect(value.length).toBeGreaterThan(0);
      expect(value.length).toBeLessThanOrEqual(1_024);
      plain(value);
    }
    characters += title.length + description.length;
    characters += fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  }
  return { text: verbatim.join('\n'), verbatim, links, bold: 0, characters };
}

type SlackText = { type: string; text: string; emoji?: boolean; verbatim?: boolean };
type SlackBlock = { type: string; text?: SlackText; fields?: SlackText[]; elements?: SlackText[] };

/** Reads Block Kit, in which only our links may have a meaning. */
export function slackTexts(body: string): Shown {
  const { text, blocks } = JSON.parse(body) as { text: string; blocks: SlackBlock[] };
  const verbatim: string[] = [];
  const links: { text: string; url: string }[] = [];
  const unescaped = (source: string): string => {
    expect(source).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
    return source.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  };
  const read = (one: SlackText, max: number) => {
    expect(one.text.length).toBeGreaterThan(0);
    expect(one.text.length).toBeLessThanOrEqual(max);
    if (one.type === 'plain_text') {
      expect(one.emoji).toBe(false);
      verbatim.push(unescaped(one.text));
      return;
    }
    expect(one).toMatchObject({ type: 'mrkdwn', verbatim: true });
    const rest = one.text.replace(/<([^|<>]+)\|(\w+)>/g, (_, url: string, label: string) => {
      links.push({ text: label, url: unescaped(url) });
      return '';
    });
    expect(rest.trim()).toBe('');
  };
  expect(blocks.length).toBeLessThanOrEqual(50);
  for (const { type, text: own, fields = [], elements = [] } of blocks) {
    if (own) read(own, type === 'header' ? 150 : 3_000);
    expect(fields.length).toBeLessThanOrEqual(10);
    for (const field of fields) read(field, 2_000);
    for (const element of elements) read(element, 3_000);
  }
  unescaped(text);
  return { text, verbatim, links, bold: 0, characters: text.length };
}
