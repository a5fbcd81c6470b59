import styles from './json.module.css';

/** A name with its colon, a text, or another value. */
const parts = /("(?:[^"\\]|\\.)*"\s*:)|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*|true|false|null)/g;

/** Formatted JSON in colours. What a line has no room for goes on below, behind where the line began. */
export function Json({ text, className = '' }: { text: string; className?: string | undefined }) {
  return (
    <pre className={className}>
      {text.split('\n').map((line, at) => {
        const hang = `${line.search(/\S|$/) + 2}ch`;
        return (
          // Lines never move.
          <span key={at} className={styles.line} style={{ paddingLeft: hang, textIndent: `-${hang}` }}>
            {coloured(line)}
            {'\n'}
          </span>
        );
      })}
    </pre>
  );
}

function coloured(line: string) {
  let end = 0;
  const pieces = [...line.matchAll(parts)].flatMap((match) => {
    const [piece, name, string] = match;
    const before = line.slice(end, match.index);
    end = match.index + piece.length;
    const kind = name === undefined ? (string === undefined ? styles.value : styles.text) : styles.name;
    return [
      before,
      <span key={match.index} className={kind}>
        {piece}
      </span>,
    ];
  });
  return [...pieces, line.slice(end)];
}
