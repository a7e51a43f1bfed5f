/** Width of what is framed, in characters: a terminal of 80 less the `remote: ` before each line. */
const WIDTH = 72;
const TEXT_WIDTH = WIDTH - 4;
export const RULER = '='.repeat(WIDTH);

/** Words in lines that are not too wide; a word that is too long for a line is cut. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && line.length + 1 + word.length > TEXT_WIDTH) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
    for (; line.length > TEXT_WIDTH; line = line.slice(TEXT_WIDTH)) lines.push(line.slice(0, TEXT_WIDTH));
  }
  return line === '' ? lines : [...lines, line];
}

const centred = (line: string): string => `${' '.repeat(Math.floor((WIDTH - line.length) / 2))}${line}`;

/** A text between two rulers, in lines in the middle, as the platform shows what everybody shall read. */
export const framed = (text: string): string[] => ['', RULER, '', ...wrapped(text).map(centred), '', RULER];
