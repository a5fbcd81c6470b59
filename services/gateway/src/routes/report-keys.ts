import { hash } from 'node:crypto';
import { invalidRequest, SigcastError } from '@sigcast/contracts';
import { noStore, readBody, resource } from '@sigcast/http';
import { parseJson } from '@sigcast/runtime';
import type { IRouter, Request } from 'express';
import { z } from 'zod';
import { networksOf } from '../domain/client-address.ts';
import { type FindReportKey, handleLeak, isSignatureOf, type LeakReportDeps } from '../domain/leak-report.ts';
import type { Throttle } from '../domain/throttle.ts';
import { reportByNetwork } from './account/rules.ts';
import { clientAddress } from './client-address.ts';

export type ReportKeysDeps = LeakReportDeps & {
  /** Undefined where this server takes no reports. */
  readonly findReportKey: FindReportKey | undefined;
  readonly throttle: Throttle;
  /** Whether the nearest hop is our own proxy, whose `X-Forwarded-For` can be trusted. */
  readonly trustProxy: boolean;
};

/** What a scanner has found. Other members, such as `url` and `source`, say where. */
const reportSchema = z.array(z.looseObject({ token: z.string(), type: z.string().max(200) }));

/** The answer about one text: GitHub's feedback on what it has found. The text itself is not sent back. */
type Feedback = {
  readonly token_hash: string;
  readonly token_type: string;
  readonly label: 'true_positive' | 'false_positive';
};

/**
 * `POST /keys/report`: keys that a scanner has found where others can read them, as GitHub's secret scanning reports them to
 * its partners, signed. Request and answer are in GitHub's form, not in the envelope.
 */
export function reportKeysRoute(router: IRouter, deps: ReportKeysDeps): void {
  resource(router, '/keys/report', {
    POST: [
      noStore,
      async (req: Request, res) => {
        const { findReportKey } = deps;
        if (findReportKey === undefined) {
          throw new SigcastError('NOT_FOUND', 'This server takes no reports of leaked keys');
        }
        // Before the body and the signature, which cost more.
        const { network } = networksOf(clientAddress(req, deps.trustProxy));
        await deps.throttle.charge(reportByNetwork, network);
        const reported = reportSchema.safeParse(parseJson(await signedBody(req, findReportKey)));
        if (!reported.success) {
          throw invalidRequest([
            { field: '', message: 'The body must be a list of objects with token and type' },
          ]);
        }
        res.json(await feedbackOf(deps, reported.data));
      },
    ],
  });
}

/** @throws {SigcastError} INVALID_REQUEST where the signature is missing or wrong. */
async function signedBody(req: Request, findReportKey: FindReportKey): Promise<string> {
  const identifier = headerOf(req, 'github-public-key-identifier', /^[\w-]{1,128}$/);
  const signature = headerOf(req, 'github-public-key-signature', /^[A-Za-z0-9+/]{1,200}={0,2}$/);
  const body = await readBody(req);
  if (body === undefined) throw new SigcastError('INVALID_REQUEST', 'The client went away');
  const key = await findReportKey(identifier);
  if (key === undefined) throw wrongHeader('Github-Public-Key-Identifier', 'names no key of the scanner');
  if (!isSignatureOf(body, signature, key)) {
    throw wrongHeader('Github-Public-Key-Signature', 'is not the signature of this body');
  }
  return body.toString();
}

function headerOf(req: Request, name: string, pattern: RegExp): string {
  const value = String(req.headers[name] ?? '');
  if (!pattern.test(value)) throw wrongHeader(name, 'is missing or malformed');
  return value;
}

const wrongHeader = (field: string, message: string) => invalidRequest([{ field, message }]);

/** Handles each text, whatever fails with another one. @throws the first failure. */
async function feedbackOf(deps: LeakReportDeps, reported: z.infer<typeof reportSchema>): Promise<Feedback[]> {
  const feedback: Feedback[] = [];
  const failures: unknown[] = [];
  for (const { token, type } of reported) {
    try {
      const label = (await handleLeak(deps, token)) ? 'true_positive' : 'false_positive';
      feedback.push({ token_hash: hash('sha256', token, 'hex'), token_type: type, label });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return feedback;
}
