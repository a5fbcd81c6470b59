import { failureSchema } from '@sigcast/contracts';
import supertest, { type Response, type Test } from 'supertest';
import type { z } from 'zod';
import { apiChecker } from './api-checker.ts';

/** A request on its way to an application. */
export type AppRequest = Test;

const methods = ['get', 'head', 'post', 'patch', 'put', 'delete', 'options'] as const;
type Method = (typeof methods)[number];

let checkApi: ReturnType<typeof apiChecker> | undefined;

/**
 * Asks a service's application, as supertest does. A test fails by an answer under /v1 that is not as the OpenAPI document
 * describes it, and by another answer without the schema that `internal` has for it, by method and path, as in
 * `GET /internal/v1/signals/{id}`.
 */
export function askApp(
  app: Parameters<typeof supertest>[0],
  internal: Readonly<Record<string, z.ZodType>> = {},
): Readonly<Record<Method, (path: string) => Test>> {
  const ask = (method: Method) => (target: string) =>
    supertest(app)
      [method](target)
      .expect((answer: Response) => {
        const { status, text = '' } = answer;
        const [path = ''] = target.split('?', 1);
        const name = `${method.toUpperCase()} ${path}`;
        if (path.startsWith('/v1')) {
          checkApi ??= apiChecker({ behindGateway: true });
          const headers = new Headers(answer.headers as Record<string, string>);
          const problems = checkApi({ method: method.toUpperCase(), path, status, headers, body: text });
          if (problems.length > 0) throw new Error(`${name} → ${status}: ${problems.join('; ')}\n${text}`);
        } else if (path.startsWith('/internal')) {
          if (method === 'head') return;
          const schema = status < 300 ? internal[name.replace(/\/sig_\w+/, '/{id}')] : failureSchema;
          if (schema === undefined) throw new Error(`${name} has no schema to check its answer by`);
          schema.parse(answer.body);
        }
      });
  return Object.fromEntries(methods.map((method) => [method, ask(method)])) as ReturnType<typeof askApp>;
}
