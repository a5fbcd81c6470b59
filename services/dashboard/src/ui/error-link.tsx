/** The code of an error, which leads to its explanation. */
export function ErrorLink({ code }: { code: string }) {
  return (
    <a href={`/docs/errors#${code}`} target="_blank" rel="noreferrer">
      {code}
    </a>
  );
}
