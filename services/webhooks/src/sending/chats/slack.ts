import type { ChatMessage, Link } from './message.ts';
import { inLine, joined } from './plain-line.ts';

/** Limits of Block Kit, in characters: a header, a text, and the text of a notification, which is cut there. */
const maxHeader = 150;
const maxField = 2_000;
const maxFields = 10;
const maxNotification = 300;

/** The three characters with a meaning in every text of Slack ("Formatting text for app surfaces"). */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Text that is shown as it is: no emoji, no mention, no formatting, no link. */
function plain(text: string, max: number) {
  return { type: 'plain_text', text: joined([...text].map(escaped), max), emoji: false };
}

const marks = { good: '🟢', bad: '🔴', neutral: '🔵' } as const;

/** The body of a request to an incoming webhook of Slack: Block Kit, with what notifications show. */
export function slackBody(messages: readonly ChatMessage[]): string {
  const titles = messages.map(({ title, subject }) => `${title}: ${inLine(subject)}`);
  const text = messages.length === 1 ? (titles[0] ?? '') : `${messages.length} events. ${titles.join(' | ')}`;
  return JSON.stringify({
    text: plain(text, maxNotification).text,
    blocks: messages.flatMap((message, at) => [
      ...(at === 0 ? [] : [{ type: 'divider' }]),
      ...blocksOf(message),
    ]),
    unfurl_links: false,
    unfurl_media: false,
  });
}

function blocksOf({ title, subject, figures, links, tone, compact }: ChatMessage): object[] {
  const headline = `${marks[tone]} ${title}: ${inLine(subject)}`;
  const shown = figures.map(({ label, value }) => `${label}: ${inLine(value)}`);
  const context = links.length === 0 ? [] : [{ type: 'context', elements: [linkLine(links)] }];
  if (compact) {
    return [{ type: 'section', text: plain([headline, ...shown].join(' · '), maxField) }, ...context];
  }
  const fields = shown.slice(0, maxFields).map((text) => plain(text, maxField));
  return [
    { type: 'header', text: plain(headline, maxHeader) },
    ...(fields.length === 0 ? [] : [{ type: 'section', fields }]),
    ...context,
  ];
}

/** Links, by our own names. `verbatim`: nothing else becomes a link. */
function linkLine(links: readonly Link[]) {
  const text = links.map((link) => `<${escaped(link.url)}|${link.text}>`).join('  ');
  return { type: 'mrkdwn', text, verbatim: true };
}
