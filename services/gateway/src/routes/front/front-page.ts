import { codeBlock, escapeHtml, type PublicPage } from '@sigcast/guides';
import type { Plan } from '../../domain/plan.ts';
import type { RecordedLog, TrackRecord } from '../../domain/record.ts';
import type { TracedSignal } from '../../domain/traced-signal.ts';
import { count } from '../figures.ts';
import { recordReadout } from './record-readout.ts';
import { answer, pushed, request } from './samples.ts';
import { exampleTrace, signalTrace } from './signal-trace.ts';

/** The record, the newest signal that has come to its end, and the plan of new accounts; `away` where it can't be read. */
export type FrontFigures = readonly [
  record: TrackRecord | 'away',
  signal: TracedSignal | undefined | 'away',
  plan: Plan | undefined | 'away',
];

const summary =
  'Sigcast publishes signals of crypto tokens, follows each one on the market until it is decided what became of it, and keeps every signal and every outcome in a public log: the dead beside the winners.';

/**
 * The page for somebody without an account. It has no text that a producer wrote.
 * @param publicUrl the API's address; empty where it is not known.
 */
export function frontPage([record, signal, plan]: FrontFigures, publicUrl: string): PublicPage {
  const server = publicUrl || 'http://127.0.0.1:8080';
  const log = record === 'away' ? null : record.log;
  const body = `<main id="content" class="front">
<section class="lead">
<div>
<h1>Token signals, with every outcome on record</h1>
<p class="lede">${summary}</p>
<p class="actions"><a class="action" href="/sign-up" data-entry>Create an account</a><a href="/docs/quick-start">Read the quick start</a></p>
</div>
${recordReadout(record)}
</section>
${traceSection(signal)}
${readSection(server)}
${pushSection()}
${proofSection(log, server)}
${accountSection(plan)}
</main>
<footer class="foot">
<nav aria-label="More">${[
    ['/docs', 'Documentation'],
    ['/docs/quick-start', 'Quick start'],
    ['/docs/reference', 'API reference'],
    ['/openapi.json', 'OpenAPI'],
    ['/record', 'Record'],
    ['/docs/changelog', 'Changelog'],
    ['/llms.txt', 'llms.txt'],
  ]
    .map(([path, name]) => `<a href="${path}">${name}</a>`)
    .join('')}</nav>
</footer>`;
  return {
    title: 'Token signals with a public record',
    summary,
    path: '/',
    styles: ['code.css', 'front.css'],
    body,
  };
}

function traceSection(signal: FrontFigures[1]): string {
  const title = 'One signal, from entry to outcome';
  if (signal === undefined || signal === 'away') {
    const why =
      signal === 'away'
        ? 'The newest signal can’t be read at the moment'
        : 'No signal has come to its end yet';
    return section(
      'signal',
      title,
      `<p>${why}. This one is an example, which no market has seen.</p>`,
      exampleTrace(),
    );
  }
  return section(
    'signal',
    title,
    '<p>The newest signal that is decided and whose order is sold, whatever came of both. Not the best one. Producers name their tokens, so this page names none.</p>',
    signalTrace(signal),
  );
}

function readSection(server: string): string {
  const text = `<p>Signals, statistics, histories and backtests, over HTTP and in JSON. Filter by any field, read page after page without a gap, and ask what was known at any past moment.</p>
<p>${links([
    ['/docs/client', 'Clients for Node, browsers and Python'],
    ['/docs/mcp', 'Tools for language models (MCP)'],
    ['/docs/reference', 'API reference'],
  ])}</p>`;
  return section(
    'read',
    'Ask for signals',
    text,
    `${codeBlock(request(server), 'sh')}${codeBlock(answer(), 'json')}`,
    'beside',
  );
}

function pushSection(): string {
  const { secret, headers, body } = pushed();
  const text = `<p>A webhook gets each event as it happens, signed. While your server fails, the event is sent again, and every attempt is kept with its answer for 30 days.</p>
<p>The body is shown byte for byte as it is sent. Its signature holds for the secret <code>${secret}</code>.</p>
<p>${links([
    ['/docs/webhooks', 'Webhooks'],
    ['/docs/verify-webhooks', 'Verify a signature'],
    ['/docs/chats', 'Slack, Discord, Telegram'],
    ['/docs/events', 'The same as a stream'],
  ])}</p>`;
  return section(
    'push',
    'Or get them pushed',
    text,
    `<div class="wire">${codeBlock(headers, 'http')}${codeBlock(body, 'json').replaceAll(',', ',<wbr>')}</div>`,
    'beside',
  );
}

function proofSection(log: RecordedLog | null, server: string): string {
  const text = `<p>Every signal gets into a public log when it is published, and every outcome when it is decided. An entry can’t be changed, left out or dated back without a contradiction that everybody can show.</p>
<p>The command reads the whole log, checks its signature and its tree, and counts again how many signals there are and what became of them.</p>
<p>${links([
    ['/docs/track-record', 'How the log works'],
    ['/docs/track-record#verify', 'What the command checks'],
  ])}</p>`;
  const checkpoint =
    log === null
      ? ''
      : `${codeBlock(`curl ${server}/log/checkpoint`, 'sh')}${codeBlock(`${log.origin}\n${log.entries}\n${log.root}`, 'text')}<p class="under">The newest checkpoint: the name of the log, the number of its entries, the root over all ${count(log.entries)}. A signature follows.</p>`;
  return section(
    'proof',
    'Check it yourself',
    text,
    `${codeBlock('npx --no -- sigcast verify', 'sh')}${checkpoint}`,
    'beside',
  );
}

function accountSection(plan: FrontFigures[2]): string {
  const limits =
    plan === undefined || plan === 'away'
      ? ''
      : `<dl class="figures">${[
          [plan.perMinute, 'requests a minute'],
          [plan.perDay, 'requests a day'],
          [plan.webhooks, 'webhooks'],
          [plan.streams, 'open streams'],
        ]
          .map(([limit, of]) => `<div><dt>${of}</dt><dd>${count(Number(limit))}</dd></div>`)
          .join('')}</dl>`;
  const text =
    '<p>An e-mail address and a password are all it takes. These limits are of all its keys together.</p>';
  return section(
    'account',
    'A new account',
    text,
    `${limits}<p class="actions"><a class="action" href="/sign-up" data-entry>Create an account</a></p>`,
  );
}

function section(id: string, title: string, text: string, content: string, layout = 'below'): string {
  return `<section class="${layout}" aria-labelledby="${id}"><header><h2 id="${id}">${title}</h2>${text}</header><div>${content}</div></section>`;
}

function links(all: readonly (readonly [path: string, name: string])[]): string {
  return all.map(([path, name]) => `<a href="${path}">${escapeHtml(name)}</a>`).join('<br>');
}
