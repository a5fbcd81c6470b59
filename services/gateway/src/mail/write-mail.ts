import { escapeHtml } from '@sigcast/guides';
import type { Block, Content } from '../domain/mail/content.ts';

/** What a mail says, in its two formats. */
export type WrittenMail = { readonly subject: string; readonly text: string; readonly html: string };

const pageStyle = 'font:16px/1.5 sans-serif;max-width:60em;margin:1em auto;padding:0 1em';

/** Writes a mail in both formats. All its texts are escaped here. Nothing is loaded from elsewhere when it is read. */
export function writeMail({ subject, blocks }: Content): WrittenMail {
  const title = oneLine(subject);
  const body = blocks.map(asHtml).join('\n');
  return {
    subject: title,
    text: `${blocks.map(asText).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>\n<body style="${pageStyle}">\n${body}\n</body></html>\n`,
  };
}

function asText(block: Block): string {
  if (typeof block === 'string') return oneLine(block);
  if ('link' in block) return `${block.link}: ${block.to}`;
  return block.rows
    .map(({ cells, to }) => `${cells.map(oneLine).join(' · ')}${to === undefined ? '' : `\n${to}`}`)
    .join('\n');
}

function asHtml(block: Block): string {
  if (typeof block === 'string') return `<p>${escapeHtml(block)}</p>`;
  if ('link' in block) return `<p>${anchor(block.link, block.to)}</p>`;
  const rows = block.rows.map(({ cells: [first = '', ...others], to }) => {
    const shown = [to === undefined ? escapeHtml(first) : anchor(first, to), ...others.map(escapeHtml)];
    return `<tr>${shown.map((cell) => `<td style="padding:2px 12px 2px 0">${cell}</td>`).join('')}</tr>`;
  });
  return `<table style="border-collapse:collapse">${rows.join('\n')}</table>`;
}

function anchor(text: string, to: string): string {
  return `<a href="${escapeHtml(to)}">${escapeHtml(text)}</a>`;
}

/** So that no value can begin a line, or a header, of its own. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
