/** Up to this many bytes are compared by words, since a call takes longer. */
const FEW = 128;
/** Number of bytes compared in one call. */
const STEP = 1_024;

/** A position in a content. */
interface ByteOffset {
  data: Buffer;
  view: DataView;
  at: number;
}

/**
 * Length of the common prefix of two contents from given positions.
 * @param limit maximum number of bytes compared
 */
export function commonPrefixFrom({ data, view, at }: ByteOffset, other: ByteOffset, limit: number): number {
  let same = 0;
  while (
    same < FEW &&
    same + 4 <= limit &&
    view.getInt32(at + same, true) === other.view.getInt32(other.at + same, true)
  )
    same += 4;
  if (same >= FEW) {
    let [from, otherFrom] = [at + same, other.at + same];
    while (same + STEP <= limit && data.compare(other.data, otherFrom, otherFrom + STEP, from, from + STEP) === 0) {
      same += STEP;
      from += STEP;
      otherFrom += STEP;
    }
    while (same + 4 <= limit && view.getInt32(at + same, true) === other.view.getInt32(other.at + same, true))
      same += 4;
  }
  while (same < limit && view.getUint8(at + same) === other.view.getUint8(other.at + same)) same += 1;
  return same;
}
