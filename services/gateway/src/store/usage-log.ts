import { latencyBoundsMs } from '@sigcast/contracts';
import { refusedWrites, storeCall, translateMongoError } from '@sigcast/mongo';
import { type Logger, type Resources, writeRegularly } from '@sigcast/runtime';
import { dayMs } from '../domain/usage.ts';
import {
  otherUsage,
  type UsageBy,
  type UsageDay,
  type UsageFigures,
  type UsageLetter,
  type UsagePart,
  type UsedBy,
  usageLetters,
} from '../domain/usage-days.ts';
import { withoutDeleted } from './deleted-accounts.ts';
import type { Models, UsageDocument } from './models.ts';

const hourMs = 3_600_000;

/** What is not written yet of an account's hour. `hour`: whole hours since 1970. */
type Counts = {
  readonly account: string;
  readonly hour: number;
  readonly all: Figures;
  readonly keys: Map<string, Figures>;
  readonly routes: Map<string, Figures>;
  /** How many requests are in each class of latency, by the path of the count in the document. */
  readonly latency: Map<string, number>;
};
type Figures = Record<UsageLetter, number>;

/** How many keys of an account a process tells apart in an hour. An account has 50; more come and go. */
const maxKeys = 64;
/** The member of a document with the figures of each key or path. */
const memberOf = { key: 'keys', route: 'routes' } as const satisfies Record<UsageBy, string>;

/** Counts the requests of accounts by hour (UTC). Requests only count in memory; a timer writes to MongoDB. */
export class UsageLog {
  readonly #models: Models;
  readonly #clock: () => number;
  #counts = new Map<string, Counts>();

  constructor(models: Models, clock: () => number) {
    this.#models = models;
    this.#clock = clock;
  }

  /** Counts one answer to an account's request. `refused`: by a rate limit. */
  note(account: string, status: number, refused: boolean, by: UsedBy): void {
    const hour = Math.floor(this.#clock() / hourMs);
    let counts = this.#counts.get(nameOf({ account, hour }));
    if (counts === undefined) {
      counts = { account, hour, all: noFigures(), keys: new Map(), routes: new Map(), latency: new Map() };
      this.#counts.set(nameOf(counts), counts);
    }
    const isTold = counts.keys.has(by.key) || counts.keys.size < maxKeys;
    const [key, route] = [isTold ? by.key : otherUsage, by.route ?? otherUsage];
    for (const figures of [counts.all, figuresOf(counts.keys, key), figuresOf(counts.routes, route)]) {
      count(figures, status, refused);
    }
    if (refused || by.latencyMs === undefined) return;
    const at = classOf(by.latencyMs);
    addTo(counts.latency, `latency.keys.${key}.${at}`, 1);
    addTo(counts.latency, `latency.routes.${route}.${at}`, 1);
  }

  /** Writes the counts. @throws when the store does not answer; the counts then stay in memory. */
  async write(): Promise<void> {
    let batch = [...this.#counts.values()];
    if (batch.length === 0) return;
    this.#counts = new Map();
    try {
      batch = await withoutDeleted(this.#models, batch);
      if (batch.length > 0) await this.#models.usage.bulkWrite(batch.map(toUpdate), { ordered: false });
    } catch (error) {
      // When two gateways create the same document at once, MongoDB refuses one of them and does the other writes.
      const refused = refusedWrites(error)?.map(({ index }) => index);
      batch.forEach((counts, index) => {
        if (refused === undefined || refused.includes(index)) this.#putBack(counts);
      });
      throw translateMongoError(error);
    }
  }

  /** An account's last days, oldest first, including days without requests. Counts that are not written yet are missing. */
  async read(account: string, days: number, by?: UsageBy): Promise<UsageDay[]> {
    const today = Math.floor(this.#clock() / dayMs);
    const dates = Array.from({ length: days }, (_, i) => dateOf((today - days + 1 + i) * dayMs));
    const range = { $gte: `${account}:${dates[0]}`, $lte: `${account}:${dates.at(-1)}` };
    const found = await storeCall(() => this.#models.usage.find({ _id: range }, leftOut(by)).lean());
    const byId = new Map(found.map((document) => [document._id, document]));
    return dates.map((date) => {
      const document = byId.get(`${account}:${date}`);
      return {
        date,
        hours: hoursOf(document),
        parts: by === undefined ? [] : partsOf(document, memberOf[by]),
      };
    });
  }

  /** Writes this often until released, and once more then. */
  run(everyMs: number, log: Logger, resources: Resources): void {
    const problem = 'usage could not be written to MongoDB; the next write tries again';
    writeRegularly(() => this.write(), { problem, everyMs, log }, resources);
  }

  #putBack(counts: Counts): void {
    const newer = this.#counts.get(nameOf(counts));
    if (newer === undefined) this.#counts.set(nameOf(counts), counts);
    else {
      add(newer.all, counts.all);
      for (const [name, figures] of counts.keys) add(figuresOf(newer.keys, name), figures);
      for (const [name, figures] of counts.routes) add(figuresOf(newer.routes, name), figures);
      for (const [path, number] of counts.latency) addTo(newer.latency, path, number);
    }
  }
}

function nameOf({ account, hour }: Pick<Counts, 'account' | 'hour'>): string {
  return `${account} ${hour}`;
}

function noFigures(): Figures {
  return { r: 0, f: 0, c: 0, s: 0 };
}

function figuresOf(parts: Map<string, Figures>, name: string): Figures {
  const known = parts.get(name);
  if (known !== undefined) return known;
  const figures = noFigures();
  parts.set(name, figures);
  return figures;
}

/** The number of the class that a latency counts in. */
function classOf(latencyMs: number): number {
  const at = latencyBoundsMs.findIndex((most) => latencyMs <= most);
  return at === -1 ? latencyBoundsMs.length : at;
}

function addTo(counts: Map<string, number>, name: string, number: number): void {
  counts.set(name, (counts.get(name) ?? 0) + number);
}

function count(figures: Figures, status: number, refused: boolean): void {
  if (refused) {
    figures.f += 1;
    return;
  }
  figures.r += 1;
  if (status >= 500) figures.s += 1;
  else if (status >= 400) figures.c += 1;
}

function add(to: Figures, figures: Figures): void {
  for (const letter of usageLetters) to[letter] += figures[letter];
}

function toUpdate({ account, hour, all, keys, routes, latency }: Counts) {
  const atMs = hour * hourMs;
  const increments = [
    ...incrementsOf(`hours.${hour % 24}`, all),
    ...[...keys].flatMap(([name, figures]) => incrementsOf(`keys.${name}.${hour % 24}`, figures)),
    ...[...routes].flatMap(([name, figures]) => incrementsOf(`routes.${name}.${hour % 24}`, figures)),
    ...latency,
  ];
  return {
    updateOne: {
      filter: { _id: usageId(account, atMs) },
      update: {
        $inc: Object.fromEntries(increments),
        $setOnInsert: { day: new Date(Math.floor(atMs / dayMs) * dayMs) },
      },
      upsert: true,
    },
  };
}

function incrementsOf(at: string, figures: Figures): [path: string, count: number][] {
  return usageLetters.flatMap((letter) =>
    figures[letter] > 0 ? [[`${at}.${letter}`, figures[letter]] as [string, number]] : [],
  );
}

/** The members of a document that are not asked for. */
function leftOut(by: UsageBy | undefined): Readonly<Record<string, 0>> {
  return {
    ...(by !== 'key' && { keys: 0, 'latency.keys': 0 }),
    ...(by !== 'route' && { routes: 0, 'latency.routes': 0 }),
  };
}

function partsOf(document: UsageDocument | undefined, member: 'keys' | 'routes'): UsagePart[] {
  const classes = document?.latency?.[member] ?? {};
  return Object.entries(document?.[member] ?? {}).map(([name, hours]) => ({
    name,
    latency: Array.from({ length: latencyBoundsMs.length + 1 }, (_, at) => classes[name]?.[at] ?? 0),
    hours: Object.entries(hours).map(([hour, figures]) => ({
      hour: Number(hour),
      ...noFigures(),
      ...figures,
    })),
  }));
}

function hoursOf(document: UsageDocument | undefined): UsageFigures[] {
  return Array.from({ length: 24 }, (_, hour) => ({ r: 0, f: 0, c: 0, s: 0, ...document?.hours[hour] }));
}

/** The id of the document with an account's figures of the day (UTC) that an instant is in, Unix milliseconds. */
export function usageId(account: string, instantMs: number): string {
  return `${account}:${dateOf(instantMs)}`;
}

function dateOf(instantMs: number): string {
  return new Date(instantMs).toISOString().slice(0, 10);
}
