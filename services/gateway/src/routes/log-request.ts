import { dashboardKey, type ErrorCode, errorStatus } from '@sigcast/contracts';
import { requestIdOf } from '@sigcast/http';
import { withoutSecrets } from '@sigcast/runtime';
import type { Request, Response } from 'express';
import type { Admission } from '../domain/admission.ts';
import { type ApiKey, keyIdOf } from '../domain/api-key.ts';
import type { NoteRequest, RefusedKey, RequestEntry } from '../domain/request-log.ts';
import { userAgentOf } from './client-address.ts';

export type RequestLogDeps = {
  /** Notes requests of accounts. Without it, none are logged. */
  readonly noteRequest?: NoteRequest | undefined;
};

/** How a request was answered. */
export type Answered = {
  readonly admission: Admission;
  /** The path as the API's document has it; undefined where it has none. */
  readonly route: string | undefined;
  readonly status: number;
  /** The error, where the gateway made it. Otherwise it is the one of the status. */
  readonly code?: ErrorCode | undefined;
  readonly cost: number;
};

/** The code of each error's status. 401 is `KEY_EXPIRED` only where the gateway itself says so. */
const codeOfStatus = new Map<number, ErrorCode>(
  (Object.keys(errorStatus) as ErrorCode[]).reverse().map((code) => [errorStatus[code], code]),
);

/**
 * Begins to follow a request from a client's whole address. The returned function notes its answer in the log of its account when the answer is sent or the
 * client is gone; a request of nobody known is not noted.
 */
export function requestLogger(
  { noteRequest }: RequestLogDeps,
  { req, res, from }: { readonly req: Request; readonly res: Response; readonly from: string },
): (answered: Answered) => void {
  if (noteRequest === undefined) return () => undefined;
  const { socket } = req;
  const startedAt = performance.now();
  const sentBefore = socket.bytesWritten;
  return ({ admission, route, status, code, cost }) => {
    const holder = holderOf(admission);
    if (holder === undefined) return;
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    const entryOf = (): RequestEntry => ({
      at: new Date(),
      key: holder.key === undefined ? dashboardKey : keyIdOf(holder.key.sha256),
      method: req.method,
      route: route ?? null,
      status,
      code: code ?? codeOfStatus.get(status),
      ms,
      id: withoutSecrets(requestIdOf(req)),
      address: ownText(from),
      agent: agentOf(req),
      bytes: socket.bytesWritten - sentBefore,
      cost: admission.admitted ? cost : 0,
    });
    const note = () => noteRequest(holder.account, entryOf, refusedKeyOf(admission));
    // Only then are all its bytes counted.
    if (res.closed) note();
    else res.on('close', note);
  };
}

function holderOf(admission: Admission): { account: string; key?: ApiKey | undefined } | undefined {
  const { account, key } = admission;
  if (account !== undefined) return { account, key };
  const dead = admission.admitted ? undefined : admission.deadKey;
  return dead && { account: dead.account, key: dead };
}

/** Undefined for requests over the limits of their account or key: only whoever may use them sends these. */
function refusedKeyOf(admission: Admission): RefusedKey | undefined {
  if (admission.admitted) return undefined;
  if (admission.deadKey !== undefined) return 'dead';
  return admission.isOverLimit || admission.key === undefined ? undefined : keyIdOf(admission.key.sha256);
}

function agentOf(req: Request): string | undefined {
  const agent = userAgentOf(req);
  return agent === null ? undefined : ownText(withoutSecrets(agent));
}

/** A text that does not keep the one in memory which it was cut from: headers may be long. */
function ownText(text: string): string {
  return Buffer.from(text).toString();
}
