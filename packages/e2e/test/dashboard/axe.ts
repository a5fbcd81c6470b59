import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { excessWidth, showIn } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
};

/** The findings of axe-core on a page as it is now, one line each; all findings unless `impacts` are given. */
async function violations(page: Page, impacts?: readonly string[]): Promise<string[]> {
  // The debugger evaluates it, so the page's content security policy does not apply.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  // Without `resultTypes`, axe-core also describes every element that passed.
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => impacts === undefined || impacts.includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

/**
 * What is wrong with an open page of the dashboard or the documentation, one line each: findings of axe-core, and what makes it
 * wider than its window, on a phone in dark colours and then on a wide screen in light ones. So each width and each colour is
 * seen once. @param impacts see `violations`.
 */
export async function problemsOf(page: Page, name: string, impacts?: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1440, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await showIn(page, colorScheme);
    const excess = await excessWidth(page);
    if (excess > 0) problems.push(`${name} is ${excess} px wider than ${width}`);
    const found = await violations(page, impacts);
    problems.push(...found.map((one) => `${name} ${width} ${colorScheme} ${one}`));
  }
  return problems;
}
