/** Results kept at most: an endpoint's address and secret are some 0.5 kB with what is made of them. */
const most = 10_000;

/** A function that works each result out once, as long as there are not too many: then it forgets all of them. */
export function cached<T>(workOut: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = workOut(text);
    if (results.size >= most) results.clear();
    results.set(text, result);
    return result;
  };
}
