export { canonicalJson, type JsonValue } from './canonical-json.ts';
export {
  type Checkpoint,
  checkpointOf,
  checkpointText,
  entriesOf,
  entryBundle,
  proofText,
  readCheckpoint,
} from './checkpoint.ts';
export { cosignedAt, cosignedText } from './cosignature.ts';
export {
  isKeyName,
  isSignedBy,
  type Note,
  type NoteSigner,
  type NoteVerifier,
  readNote,
  readVerifierKey,
  signatureLine,
  signNote,
  verifierKey,
} from './note.ts';
export { type Policy, type PolicyWitness, readPolicy } from './policy.ts';
export { consistencyProof, inclusionProof, rootOfInclusion, type TileReader } from './proof.ts';
export {
  entriesPath,
  type FilledTile,
  hashesOf,
  readTilePath,
  type Tile,
  TileEdge,
  tilePath,
  tilesOf,
  tileWidth,
  widthIn,
} from './tiles.ts';
export { type Hash, hashBytes, leafHash, nodeHash, rootOf } from './tree.ts';
