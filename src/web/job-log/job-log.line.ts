/** A text that was written at a column of a line, over what was there; null for one that erased all from there on. */
export type Layer = [column: number, text: string | null, style: number];

/** Maximum length of a line; longer ones are cut. */
export const MAX_LINE = 8_192;
/** Layers since the last time, and characters of all, beyond which a line is merged. */
const MORE_LAYERS = 512;
const MAX_CHARACTERS = 2 * MAX_LINE;

/** A line as a terminal would show it: texts may overwrite others. */
export class JobLogLine {
  #layers: Layer[];
  #characters = 0;
  /** Number of layers at which they are merged again. */
  #mergeAt: number;
  /** Column of the next character. */
  column: number;

  constructor(layers: readonly Layer[] = [], column = 0) {
    this.#layers = layers.map(([at, text, style]) => [at, text, style]);
    this.column = column;
    this.#mergeAt = layers.length + MORE_LAYERS;
    for (const [, text] of layers) this.#characters += text?.length ?? 0;
  }

  /** Writes a text for which there is room. */
  write(text: string, style: number): void {
    const last = this.#layers.at(-1);
    if (last !== undefined && last[1] !== null && last[2] === style && last[0] + last[1].length === this.column) {
      last[1] += text;
    } else this.#layers.push([this.column, text, style]);
    this.#characters += text.length;
    this.column += text.length;
    this.#mergeMany();
  }

  /** Erases all from a column on. */
  eraseFrom(column: number): void {
    if (this.#layers.length === 0) return;
    this.#layers.push([column, null, 0]);
    this.#mergeMany();
  }

  /** Begins again. */
  clear(): void {
    this.#layers = [];
    this.#characters = 0;
    this.#mergeAt = MORE_LAYERS;
    this.column = 0;
  }

  /** What is to be seen: texts one after the other. */
  layers(): readonly Layer[] {
    this.#merge();
    return this.#layers;
  }

  get isEmpty(): boolean {
    return this.layers().length === 0;
  }

  /** Merging takes as long as the line, so it waits for as much. */
  #mergeMany(): void {
    if (this.#layers.length < this.#mergeAt && this.#characters <= MAX_CHARACTERS) return;
    this.#merge();
    this.#mergeAt = this.#layers.length + MORE_LAYERS;
  }

  #merge(): void {
    if (isMerged(this.#layers)) return;
    const texts: string[] = [];
    const styles: number[] = [];
    for (const [column, text, style] of this.#layers) {
      if (text === null) {
        texts.length = Math.min(texts.length, column);
        styles.length = texts.length;
        continue;
      }
      while (texts.length < column) {
        styles.push(style);
        texts.push(' ');
      }
      for (let at = 0; at < text.length; at += 1) {
        texts[column + at] = text[at]!;
        styles[column + at] = style;
      }
    }
    const merged: Layer[] = [];
    for (let from = 0; from < texts.length; ) {
      let to = from + 1;
      while (to < texts.length && styles[to] === styles[from]) to += 1;
      merged.push([from, texts.slice(from, to).join(''), styles[from]!]);
      from = to;
    }
    this.#layers = merged;
    this.#characters = texts.length;
  }
}

/** Whether texts follow each other without gaps, as they do in most lines. */
function isMerged(layers: readonly Layer[]): boolean {
  let end = 0;
  for (const [column, text] of layers) {
    if (text === null || column !== end) return false;
    end += text.length;
  }
  return true;
}
