import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { sharedSystem } from '../system.ts';
import { type DashboardWorld, dashboardWorld, type Visitor, type VisitorOptions } from './browser.ts';
import { liftLimits, type Person, signUp } from './people.ts';

type Holder = Visitor & { readonly person: Person };

/**
 * The dashboard of the shared system, for the tests of a file. What a test has opened is closed after it, and the test fails
 * if a page complained. Other files have signals in the same system, never at the same time.
 */
export function useDashboard() {
  let world: DashboardWorld;
  let holder: Holder | undefined;
  let opened: Visitor[] = [];
  beforeAll(async () => {
    world = await dashboardWorld(await sharedSystem());
  });
  afterEach(async () => {
    const complaints = [...opened, holder].flatMap((visitor) => visitor?.complaints.splice(0) ?? []);
    for (const { context } of opened) await context.close();
    for (const page of holder?.context.pages() ?? []) await page.close();
    opened = [];
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await holder?.context.close();
    await world?.system.stop();
  });

  const visitor = async (options?: VisitorOptions) => {
    const visiting = await world.visitor(options);
    opened.push(visiting);
    return visiting;
  };
  /** Signs up a new account in a browser of its own, and lifts the account's limits. */
  const newHolder = async (options?: VisitorOptions): Promise<Holder> => {
    const visiting = await visitor(options);
    const person = await signUp(visiting.page);
    await liftLimits(world.system, person);
    return { ...visiting, person };
  };
  const fileHolder = async (): Promise<Holder> => {
    if (holder === undefined) {
      holder = await newHolder();
      opened = opened.filter(({ context }) => context !== holder?.context);
    }
    return holder;
  };
  return {
    get system() {
      return world.system;
    },
    visitor,
    newHolder,
    /** A new tab of the file's account holder, who has neither keys nor webhooks unless a test of the file makes them. */
    tab: async (): Promise<Page> => (await fileHolder()).tab(),
    /** The file's account holder. */
    person: async (): Promise<Person> => (await fileHolder()).person,
  };
}
