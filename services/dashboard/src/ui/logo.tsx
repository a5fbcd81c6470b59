/** The product's sign and name. */
export function Logo() {
  return (
    <span className="look-home">
      <img src="/favicon.svg" alt="" width={22} height={22} />
      Sigcast
    </span>
  );
}
