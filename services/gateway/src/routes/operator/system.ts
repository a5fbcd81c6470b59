import {
  type OperatorSystem,
  type OperatorWebhook,
  type ScannerState,
  type SignalsState,
  scannerStateSchema,
  signalsStateSchema,
  type WebhooksState,
  webhooksStateSchema,
} from '@sigcast/contracts';
import { noQuery, sendData } from '@sigcast/http';
import type { RequestHandler } from 'express';
import type { OperatorDeps } from './deps.ts';
import { operatorOf } from './guard.ts';

/** `GET /account/operator/system`: the gateway's checks, and what waits in services. A service that does not answer is null. */
export function getSystem({ askService, checks }: OperatorDeps): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const { id } = operatorOf(req);
    const [found, signals, webhooks, scanner] = await Promise.all([
      checks(),
      orNull(askSignals(askService, id)),
      orNull(askWebhooks(askService, id)),
      orNull(askScanner(askService, id)),
    ]);
    const view: OperatorSystem = {
      checks: found,
      signals,
      deliveries: webhooks?.deliveries ?? null,
      ...(scanner !== undefined && { scanner }),
    };
    sendData(res, view);
  };
}

/** `GET /account/operator/webhooks`: subscriptions that fail, or were disabled for that. */
export function listFailingWebhooks({ askService, reads }: OperatorDeps): RequestHandler {
  return async (req, res) => {
    noQuery(req);
    const { failing } = await askWebhooks(askService, operatorOf(req).id);
    const emails = await reads.emailsOf([...new Set(failing.map(({ account }) => account))]);
    sendData(
      res,
      failing.map((webhook): OperatorWebhook => ({ ...webhook, email: emails.get(webhook.account) ?? null })),
    );
  };
}

const statePath = '/internal/v1/state';
type Ask = OperatorDeps['askService'];

async function askSignals(ask: Ask, operator: string): Promise<SignalsState> {
  return signalsStateSchema.parse(await ask('signals', statePath, operator));
}

async function askWebhooks(ask: Ask, operator: string): Promise<WebhooksState> {
  return webhooksStateSchema.parse(await ask('webhooks', statePath, operator));
}

/** Undefined where the gateway knows of no scanner. */
async function askScanner(ask: Ask, operator: string): Promise<ScannerState | undefined> {
  const answer = ask('scanner', statePath, operator);
  return answer && scannerStateSchema.parse(await answer);
}

/** Null for a service that does not answer, or whose answer does not have the expected form. */
function orNull<T>(work: Promise<T>): Promise<T | null> {
  return work.catch(() => null);
}
