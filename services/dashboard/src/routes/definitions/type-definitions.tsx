import { trapRules, typeRules } from '../signals/rules-v1.ts';
import { keysOf, typeWords } from '../signals/signal-words.ts';
import { Definition, Definitions } from './definition.tsx';
import styles from './definitions.module.css';

/** What each type of signal means, by the published rules. */
export function TypeDefinitions() {
  return (
    <Definitions
      title="Types of signals"
      description={
        <>
          The scanner makes signals by the rules <em>v1</em>. An operator who changes a threshold has the
          rules <em>v1-custom</em>. Other producers choose the type by rules of their own.
        </>
      }
    >
      {keysOf(typeWords).map((type) => (
        <Definition key={type} id={`type-${type}`} name={typeWords[type]} field={type}>
          {typeRules[type]}
        </Definition>
      ))}
      <Definition id="traps" name="Never a signal" field="origin.risks">
        <ul className={styles.list}>
          {trapRules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      </Definition>
    </Definitions>
  );
}
