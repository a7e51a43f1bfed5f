/** So many bytes are compared by words: a call takes longer. */
const FEW = 128;
/** So many are compared at once then. */
const STEP = 1_024;

/** A place in a content. */
interface Place {
  data: Buffer;
  view: DataView;
  at: number;
}

/**
 * How many bytes of two contents are the same, from one place in each on.
 * @param most of them that are looked at
 */
export function commonFrom({ data, view, at }: Place, other: Place, most: number): number {
  let same = 0;
  while (
    same < FEW &&
    same + 4 <= most &&
    view.getInt32(at + same, true) === other.view.getInt32(other.at + same, true)
  )
    same += 4;
  if (same >= FEW) {
    let [from, otherFrom] = [at + same, other.at + same];
    while (same + STEP <= most && data.compare(other.data, otherFrom, otherFrom + STEP, from, from + STEP) === 0) {
      same += STEP;
      from += STEP;
      otherFrom += STEP;
    }
    while (same + 4 <= most && view.getInt32(at + same, true) === other.view.getInt32(other.at + same, true)) same += 4;
  }
  while (same < most && view.getUint8(at + same) === other.view.getUint8(other.at + same)) same += 1;
  return same;
}
