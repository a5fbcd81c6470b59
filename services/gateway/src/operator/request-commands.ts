import type { LoggedRequest } from '@sigcast/contracts';
import { readOptions } from '@sigcast/operator';
import { z } from 'zod';
import { readLogConfig } from '../config.ts';
import { requestView } from '../domain/request-log.ts';
import { mongoRequestReads } from '../store/request-reads.ts';
import type { Command } from './command.ts';
import { type LogLine, logLinesOf } from './log-lines.ts';

type Found = LoggedRequest & { readonly account: string; readonly email: string | null };

const show: Command = {
  usage: 'request show REQUEST_ID',
  summary:
    'Shows the account of a request, its entry in the log of requests, and the log lines of all services with its id. Clients may choose ids, so there may be several requests. Where the log lines are not in a folder (LOG_DIR), it prints how to ask for them.',
  run: async ({ args, env, openStore }) => {
    const id = z
      .string()
      .regex(/^[A-Za-z0-9._-]{8,128}$/, 'must be 8 to 128 letters, digits, dots, hyphens or underscores');
    const options = readOptions(args, { positionals: ['request_id'], shape: { request_id: id } });
    const { request_id: requestId } = options;
    const { LOG_DIR: folder } = readLogConfig(env);
    const { models, reads } = await openStore();
    const entries = await mongoRequestReads(models).withId(requestId);
    const emails = await reads.emailsOf([...new Set(entries.map(({ account }) => account))]);
    const requests = entries.map(
      ({ account, ...entry }): Found => ({
        account,
        email: emails.get(account) ?? null,
        ...requestView(entry),
      }),
    );
    const lines = folder === undefined ? undefined : await logLinesOf(folder, requestId);
    const query = `{service=~".+"} | json | request_id="${requestId}"`;
    const isFound = requests.length > 0 || (lines?.length ?? 0) > 0;
    return {
      data: { requests, lines: lines ?? null, query },
      text: [
        ...(requests.length === 0 ? ['The log of requests has no such request.'] : requests.map(requestText)),
        '',
        ...(lines === undefined ? askFor(requestId, query) : linesText(lines)),
      ].join('\n'),
      ...(!isFound && { status: 1 }),
    };
  },
};

export const requestCommands = { show } satisfies Record<string, Command>;

function requestText(request: Found): string {
  const { account, email, at, method, route, status, code, latency_ms: ms, key, address } = request;
  return [
    `${account} ${email ?? '(deleted)'}`,
    `${at}  ${method} ${route ?? '(unknown path)'}  ${status} ${code ?? ''}  ${ms} ms`,
    `${key} from ${address}, ${request.user_agent ?? 'no user agent'}, ${request.bytes} bytes, counted as ${request.cost}`,
  ].join('\n');
}

function linesText(lines: readonly LogLine[]): string[] {
  if (lines.length === 0) return ['No log line has its id: of answers below 400, only a share has one.'];
  return lines.map(
    ({ time, service, msg, request_id: _, ...rest }) =>
      `${time}  ${service}  ${msg}  ${JSON.stringify(rest)}`,
  );
}

/** How log lines are found where this command can't read them. */
function askFor(requestId: string, query: string): string[] {
  return [
    'The log lines of all services, where they are collected:',
    `  Loki        ${query}`,
    `  Kubernetes  kubectl -n sigcast logs --prefix --all-containers --tail=-1 -l app.kubernetes.io/name | grep ${requestId}`,
    `  Compose     docker compose logs --no-color | grep ${requestId}`,
  ];
}
