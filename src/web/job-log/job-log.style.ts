/**
 * A style is a number: foreground and background (0 to 255, or `DEFAULT`) in nine bits each, and flags. So it compares fast, and
 * can be kept as JSON.
 */
const DEFAULT = 256;
const FLAGS = { bold: 1, dim: 2, italic: 4, underline: 8, inverse: 16, strike: 32 } as const;
const FLAG_CLASSES: readonly (readonly [flag: number, name: string])[] = [
  [FLAGS.bold, 'log-bold'],
  [FLAGS.dim, 'log-dim'],
  [FLAGS.italic, 'log-italic'],
  [FLAGS.underline, 'log-underline'],
  [FLAGS.strike, 'log-strike'],
];
const SET: Readonly<Record<number, number>> = {
  1: FLAGS.bold,
  2: FLAGS.dim,
  3: FLAGS.italic,
  4: FLAGS.underline,
  7: FLAGS.inverse,
  9: FLAGS.strike,
  21: FLAGS.underline,
};
const UNSET: Readonly<Record<number, number>> = {
  22: FLAGS.bold | FLAGS.dim,
  23: FLAGS.italic,
  24: FLAGS.underline,
  27: FLAGS.inverse,
  29: FLAGS.strike,
};

const styleOf = (foreground: number, background: number, flags: number): number =>
  (((flags << 9) | background) << 9) | foreground;

/** The style of a text without any. */
export const PLAIN: number = styleOf(DEFAULT, DEFAULT, 0);

/** Levels of the six steps of a colour in the cube of 216 colours. */
const LEVELS = [0, 95, 135, 175, 215, 255];
/** The first colours of the cube and of the greys. */
const CUBE = 16;
const GREY = 232;

/** Red, green and blue of the colours from 16 on. */
export function rgbOf(color: number): [number, number, number] {
  if (color >= GREY) {
    const level = 8 + 10 * (color - GREY);
    return [level, level, level];
  }
  const at = color - CUBE;
  return [LEVELS[Math.floor(at / 36)]!, LEVELS[Math.floor(at / 6) % 6]!, LEVELS[at % 6]!];
}

const nearestLevel = (value: number): number =>
  LEVELS.reduce((best, level, at) => (Math.abs(level - value) < Math.abs(LEVELS[best]! - value) ? at : best), 0);

/** The nearest of the 240 fixed colours. */
export function nearestColor(rgb: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = rgb.map((value) => Math.min(value, 255));
  const inCube = CUBE + 36 * nearestLevel(r) + 6 * nearestLevel(g) + nearestLevel(b);
  const grey = GREY + Math.min(23, Math.max(0, Math.round(((r + g + b) / 3 - 8) / 10)));
  const distance = (color: number) => {
    const [x, y, z] = rgbOf(color);
    return (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2;
  };
  return distance(grey) < distance(inCube) ? grey : inCube;
}

/** The colour that a 38 or 48 names, by number or as red, green and blue; null if it names none. */
function namedColor(kind: number | undefined, values: readonly number[]): number | null {
  if (kind === 5 && values.length >= 1) return Math.min(values[0]!, 255);
  return kind === 2 && values.length >= 3 ? nearestColor(values.slice(0, 3)) : null;
}

/** The style after a sequence `ESC [ <parameters> m`. */
export function nextStyle(style: number, parameters: string): number {
  let foreground = style & 0x1ff;
  let background = (style >> 9) & 0x1ff;
  let flags = style >> 18;
  const codes = parameters.split(';');
  for (let at = 0; at < codes.length; at += 1) {
    // Parts of one code may also be divided by colons: 38:5:1, 38:2::255:0:0.
    const [code = 0, ...parts] = codes[at]!.split(':').map((part) => Number(part) || 0);
    if (code === 0) [foreground, background, flags] = [DEFAULT, DEFAULT, 0];
    else if (code === 38 || code === 48) {
      let values = parts;
      if (parts.length === 0) {
        const kind = Number(codes[at + 1]);
        const count = kind === 5 ? 2 : kind === 2 ? 4 : 0;
        // What follows is not known to be codes.
        if (count === 0) break;
        values = codes.slice(at + 1, at + 1 + count).map((part) => Number(part) || 0);
        at += count;
      } else if (parts[0] === 2 && parts.length > 4) values = [2, ...parts.slice(2, 5)];
      const color = namedColor(values[0], values.slice(1));
      if (color !== null && code === 38) foreground = color;
      if (color !== null && code === 48) background = color;
    } else if (code === 4 && parts[0] === 0) flags &= ~FLAGS.underline;
    else if (SET[code] !== undefined) flags |= SET[code]!;
    else if (UNSET[code] !== undefined) flags &= ~UNSET[code]!;
    else if (code >= 30 && code <= 37) foreground = code - 30;
    else if (code === 39) foreground = DEFAULT;
    else if (code >= 40 && code <= 47) background = code - 40;
    else if (code === 49) background = DEFAULT;
    else if (code >= 90 && code <= 97) foreground = code - 90 + 8;
    else if (code >= 100 && code <= 107) background = code - 100 + 8;
  }
  return styleOf(foreground, background, flags);
}

/** Classes of a style; empty for a plain one. `log-ink` is a foreground on a background that was chosen with it. */
export function classesOf(style: number): string {
  if (style === PLAIN) return '';
  let foreground: number | string = style & 0x1ff;
  let background: number | string = (style >> 9) & 0x1ff;
  const flags = style >> 18;
  if ((flags & FLAGS.inverse) !== 0) {
    const swapped = foreground === DEFAULT ? 'text' : foreground;
    foreground = background === DEFAULT ? 'page' : background;
    background = swapped;
  }
  const names = FLAG_CLASSES.flatMap(([flag, name]) => ((flags & flag) === 0 ? [] : name));
  if (background !== DEFAULT) names.push(`log-bg-${background}`);
  if (foreground !== DEFAULT) names.push(`log-${background === DEFAULT ? 'fg' : 'ink'}-${foreground}`);
  return names.join(' ');
}
