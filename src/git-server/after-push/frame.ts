/** Width of framed text in characters: an 80-column terminal minus the `remote: ` prefix. */
const WIDTH = 72;
const TEXT_WIDTH = WIDTH - 4;
export const RULER = '='.repeat(WIDTH);

/** Wraps words into lines; splits words longer than a line. */
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

/** Centres a text between two rulers, in the platform's layout for broadcasts. */
export const framed = (text: string): string[] => ['', RULER, '', ...wrapped(text).map(centred), '', RULER];
