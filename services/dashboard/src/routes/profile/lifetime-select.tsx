/** How long keys live, as choices. */
export const lifetimes = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
];

/** What the API calls a choice. */
export function daysOf(choice: string): number | null {
  return choice === 'never' ? null : Number(choice);
}
