/** Whether a name matches a pattern in which `*` stands for any text. Quadratic time at most. */
export function matchesWildcard(pattern: string, name: string): boolean {
  let at = 0;
  let inName = 0;
  let star = -1;
  let resume = 0;
  while (inName < name.length) {
    if (pattern[at] === '*') {
      star = at;
      resume = inName;
      at += 1;
    } else if (at < pattern.length && pattern[at] === name[inName]) {
      at += 1;
      inName += 1;
    } else if (star !== -1) {
      at = star + 1;
      resume += 1;
      inName = resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
