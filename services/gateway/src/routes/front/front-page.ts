import { codeBlock, escapeHtml, localUrl, type PublicPage } from '@sigcast/guides';
import type { Plan } from '../../domain/plan.ts';
import type { RecordedLog, TrackRecord } from '../../domain/record.ts';
import type { TracedSignal } from '../../domain/traced-signal.ts';
import { capital, count, orElse, plural } from '../figures.ts';
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
  'Sigcast publishes signals for new and active crypto tokens, tracks how each one performs, and records every outcome in a public log, wins and losses alike.';

/**
 * The page for somebody without an account. It has no text that a producer wrote.
 * @param publicUrl the API's address; empty where it is not known.
 */
export function frontPage([record, signal, plan]: FrontFigures, publicUrl: string): PublicPage {
  const server = publicUrl || localUrl;
  const log = record === 'away' || record.log === 'away' ? undefined : record.log;
  const body = `<main id="content" class="front">
<section class="lead">
<div>
<h1>Token signals, with every outcome on record</h1>
<p class="lede">${summary}</p>
<p class="actions"><a class="action" href="/sign-up" data-entry>Create an account</a><a href="/docs/quick-start">Read the quick start</a></p>
</div>
${recordReadout(record)}
</section>
${orElse(() => traceSection(signal), traceSection('away'))}
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
      signal === 'away' ? 'The latest signal is unavailable right now' : 'No signal has a closed order yet';
    return section('signal', title, `<p>${why}. This one is a made-up example.</p>`, exampleTrace());
  }
  return section(
    'signal',
    title,
    '<p>The latest signal with an outcome and a closed order, whether it won or lost. Token names are left out.</p>',
    signalTrace(signal),
  );
}

function readSection(server: string): string {
  const text = `<p>Signals, statistics, price histories and backtests as JSON over HTTP. Filter by any field, page through everything without gaps, and query the data as it was known at any past moment.</p>
<p>${links([
    ['/docs/client', 'Clients for Node, browsers and Python'],
    ['/docs/mcp', 'Tools for language models (MCP)'],
    ['/docs/reference', 'API reference'],
  ])}</p>`;
  return section(
    'read',
    'Read signals over HTTP',
    text,
    `${codeBlock(request(server), 'sh')}${codeBlock(answer(), 'json')}`,
    'beside',
  );
}

function pushSection(): string {
  const { secret, headers, body, beginning } = pushed();
  const text = `<p>Each event is signed and sent as it happens. If your server fails, Sigcast retries, and logs every attempt with your server’s response for 30 days.</p>
<p>This request is exact. You can check its signature, which is that of the whole body, with the secret <code>${secret}</code>.</p>
<p>${links([
    ['/docs/webhooks', 'Webhooks'],
    ['/docs/verify-webhooks', 'Verify a signature'],
    ['/docs/chats', 'Slack, Discord, Telegram'],
    ['/docs/events', 'Event stream'],
  ])}</p>`;
  return section(
    'push',
    'Or get them as webhooks',
    text,
    `${codeBlock(headers, 'http')}${codeBlock(beginning, 'json').replace('class="code"', 'class="code excerpt"')}
<details class="whole"><summary>Show all, byte for byte</summary>${codeBlock(body, 'json').replaceAll(',', ',<wbr>')}</details>`,
    'beside',
  );
}

/** How anybody checks the record. `log`: null where the system keeps none, undefined while it can't be read. */
function proofSection(log: RecordedLog | null | undefined, server: string): string {
  const text = `<p>Every signal goes into a public log when it is published, and every outcome when it is decided. Nobody can change, remove or backdate an entry without leaving proof.</p>
<p>The clients bring a command that reads the whole log, checks its signature and its hash tree, and recounts all signals and their outcomes.</p>
<p>${links([
    ['/docs/track-record', 'How the log works'],
    ['/docs/track-record#verify-the-log', 'Get the command, and what it checks'],
  ])}</p>`;
  const checkpoint = log === null ? '' : codeBlock(`curl ${server}/log/checkpoint`, 'sh');
  const [newest] = log?.newest ?? [];
  const known = log
    ? `${codeBlock(`${log.origin}\n${log.entries}\n${log.root}`, 'text')}<p class="under">The newest checkpoint: the log’s name, its ${plural(log.entries, 'entry', 'entries')}, and their root hash. A signature follows.</p>`
    : '';
  const proof =
    newest === undefined
      ? ''
      : `${codeBlock(`curl ${server}/log/proof/${newest.index}`, 'sh')}<p class="under">The newest entry, with a proof that the log has it.</p>`;
  return section('proof', 'Check it yourself', text, checkpoint + known + proof, 'beside');
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
  const name =
    plan === undefined || plan === 'away'
      ? ''
      : ` New accounts are on the ${escapeHtml(capital(plan.name))} plan.`;
  const text = `<p>All you need is an e-mail address and a password.${name} All API keys of the account share these limits.</p>`;
  return section(
    'account',
    'Start with a new account',
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
