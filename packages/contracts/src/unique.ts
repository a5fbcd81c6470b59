/** Whether a list has each of its values once. */
export function isUnique(list: readonly string[]): boolean {
  return new Set(list).size === list.length;
}
