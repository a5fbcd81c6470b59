import type { ChatTemplate, SentEventType, WebhookPayload, WebhookStatePayload } from '@sigcast/contracts';
import { linkOf, plainLine } from './plain-line.ts';

/** A line of a message: what it is, and its value. */
export type Figure = {
  readonly label: string;
  readonly value: string;
  /** Whether the value is text that is copied, such as an address. */
  readonly copied?: true;
};

/** A link of a message. `url` has only characters that mean nothing to any provider. */
export type Link = { readonly text: string; readonly url: string };

/** The message of one event, before it has a provider's form. */
export type ChatMessage = {
  readonly tone: 'good' | 'bad' | 'neutral';
  /** What happened, in our words. */
  readonly title: string;
  /** What it is about: text of others, in one line. */
  readonly subject: string;
  readonly figures: readonly Figure[];
  readonly links: readonly Link[];
  /** Whether it is to take one line. */
  readonly compact: boolean;
};

/** The most characters of a symbol and of a name that a message shows. */
const maxSymbol = 24;
const maxName = 60;

const events: Readonly<Record<SentEventType, { title: string; tone: ChatMessage['tone'] }>> = {
  'signal.new': { title: 'New signal', tone: 'neutral' },
  'signal.winner': { title: 'Winner', tone: 'good' },
  'signal.dead': { title: 'Dead', tone: 'bad' },
  'signal.rugged': { title: 'Rugged', tone: 'bad' },
  'webhook.failing': { title: 'Webhook failing', tone: 'bad' },
  'webhook.disabled': { title: 'Webhook disabled', tone: 'bad' },
  'webhook.test': { title: 'Test message', tone: 'neutral' },
};

/**
 * The message of an event, of its body as webhooks get it.
 * @param dashboardUrl address of the dashboard, for a link to the signal.
 */
export function messageOf(
  body: string,
  { template, dashboardUrl }: { readonly template: ChatTemplate; readonly dashboardUrl?: string | undefined },
): ChatMessage {
  const payload = JSON.parse(body) as WebhookPayload | WebhookStatePayload;
  const { title, tone } = events[payload.event];
  const rest = isAboutSignal(payload)
    ? ofSignal(payload, { template, dashboardUrl })
    : {
        subject: plainLine(payload.data.description ?? '', maxName) || payload.data.id,
        ...ofWebhook(payload),
      };
  return { title, tone, compact: template === 'compact', ...rest };
}

/** Leaves out links, then figures, from the end, until the message takes at most so many characters. */
export function fitted(
  message: ChatMessage,
  max: number,
  charactersOf: (message: ChatMessage) => number,
): ChatMessage {
  let fitting = message;
  while (charactersOf(fitting) > max && fitting.links.length + fitting.figures.length > 0) {
    fitting =
      fitting.links.length > 0
        ? { ...fitting, links: fitting.links.slice(0, -1) }
        : { ...fitting, figures: fitting.figures.slice(0, -1) };
  }
  return fitting;
}

function isAboutSignal(payload: WebhookPayload | WebhookStatePayload): payload is WebhookPayload {
  return 'token' in payload.data;
}

function ofSignal(
  { event, timestamp, data }: WebhookPayload,
  { template, dashboardUrl }: { readonly template: ChatTemplate; readonly dashboardUrl?: string | undefined },
): Pick<ChatMessage, 'subject' | 'figures' | 'links'> {
  const { id, token, metrics, performance, type, is_premium: premium } = data;
  const isTest = event === 'webhook.test';
  const { mcap_entry: entry, mcap_current: current } = metrics;
  const moved = current === entry ? '' : ` → ${usd(current)} (${percent(performance.roi)})`;
  const marketCap = { label: 'Market cap', value: `${usd(entry)}${moved}` };
  const standard: Figure[] = [
    { label: 'Type', value: premium && type !== 'premium' ? `${type}, premium` : type },
    ...(token.chain === '' ? [] : [{ label: 'Chain', value: plainLine(token.chain, maxName) }]),
    marketCap,
    { label: 'Liquidity', value: usd(metrics.liquidity) },
  ];
  const detailed: Figure[] = [
    ...standard,
    { label: 'Highest', value: `${usd(metrics.mcap_ath)} (${percent(performance.ath_roi)})` },
    { label: 'Volume, 24 h', value: usd(metrics.volume_24h) },
    { label: 'Holders', value: metrics.holders.toLocaleString('en-US') },
    { label: 'Token age', value: age(token.age_hours) },
    { label: 'Contract', value: plainLine(token.contract, 100), copied: true },
    { label: 'Time', value: `${timestamp.slice(0, 16).replace('T', ' ')} UTC` },
  ];
  const place = token.chain === '' ? `search?q=` : `${token.chain}/`;
  const dexScreener = `https://dexscreener.com/${place}${encodeURIComponent(token.contract.toWellFormed())}`;
  const { website, twitter, telegram } = token.socials;
  const links = [
    ['DexScreener', isTest ? '' : dexScreener],
    ['Sigcast', isTest || dashboardUrl === undefined ? '' : `${dashboardUrl}/signals/${id}`],
    ...(template === 'compact'
      ? []
      : ([
          ['Website', website],
          ['X', twitter],
          ['Telegram', telegram],
        ] as const)),
  ] as const;
  return {
    subject: plainLine(`${plainLine(token.symbol, maxSymbol)} · ${plainLine(token.name, maxName)}`),
    figures: { compact: [marketCap], standard, detailed }[template].filter(({ value }) => value !== ''),
    links: links.flatMap(([text, address]) => {
      const url = linkOf(address);
      return url === undefined ? [] : [{ text, url }];
    }),
  };
}

function ofWebhook({ data }: WebhookStatePayload): Pick<ChatMessage, 'figures' | 'links'> {
  const { url, failing_since: since, disables_at: until, disabled_reason: reason } = data;
  const time = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`;
  return {
    figures: [
      { label: 'Address', value: plainLine(url, 200), copied: true },
      ...(since === null ? [] : [{ label: 'Failing since', value: time(since) }]),
      ...(until === null ? [] : [{ label: 'Will be disabled', value: time(until) }]),
      ...(reason === null
        ? []
        : [
            {
              label: 'Reason',
              value: reason === 'gone' ? 'it takes no more events' : 'every delivery failed for 3 days',
            },
          ]),
    ],
    links: [],
  };
}

const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 1,
  // Below a thousand there is no unit that a fraction would be of.
  trailingZeroDisplay: 'stripIfInteger',
});

/** US dollars, short: `$1.2M`. */
function usd(amount: number): string {
  return dollars.format(amount);
}

const signed = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});

function percent(value: number): string {
  return `${signed.format(value)}%`;
}

function age(hours: number): string {
  return hours < 48 ? `${Math.round(hours * 10) / 10} h` : `${Math.round(hours / 24)} days`;
}
