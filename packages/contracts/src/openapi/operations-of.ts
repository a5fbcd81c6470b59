import type { z } from 'zod';
import type { ServiceName } from '../identity.ts';
import { accountOperations } from './account-operations.ts';
import { apiOperations } from './api-operations.ts';
import type { Operation } from './operation.ts';

const operations = [...apiOperations, ...accountOperations] as const;
type AnyOperation = (typeof operations)[number];

/** The methods of a path's operations, in the order of `Allow`; `GET` answers `HEAD`, too. */
export function methodsOf(operations: readonly Pick<Operation, 'method'>[]): string[] {
  const order = ['get', 'post', 'patch', 'delete'].filter((name) =>
    operations.some(({ method }) => method === name),
  );
  return order.flatMap((name) => (name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()]));
}

/** A path as routes are written: `/v1/signals/:signal_id` for `/v1/signals/{signal_id}`. */
export function templateOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** An operation as the service that knows the past answers it: with `as_of`. */
type Past<O> = O extends { readonly past: { readonly query: infer Q extends z.ZodType } }
  ? Omit<O, 'query' | 'past'> & { readonly query: Q }
  : never;

/** The operations that a service answers. */
export type OperationOf<S extends ServiceName | 'gateway'> =
  | Extract<AnyOperation, { readonly service: S }>
  | Past<Extract<AnyOperation, { readonly past: { readonly service: S } }>>;

/** The operations that a service answers: its own, and those of others where they ask for the past. */
export function operationsOf<S extends ServiceName | 'gateway'>(service: S): readonly OperationOf<S>[] {
  return operations.flatMap((operation: Operation) => {
    if (operation.service === service) return [operation];
    const { past, ...rest } = operation;
    return past?.service === service ? [{ ...rest, query: past.query }] : [];
  }) as unknown as OperationOf<S>[];
}
