/** Japanese, Chinese and Korean encodings, distinguished by the plausibility of the decoded text. */
const ENCODINGS = ['shift_jis', 'euc-jp', 'gbk', 'big5', 'euc-kr'] as const;
export type CjkEncoding = (typeof ENCODINGS)[number];

/** The most frequent Korean syllables. */
const SYLLABLES = new Set(
  '이다는을가의에한로고하기지어사은나인그자서리를시대도수정과해부일보있게들라전상장동제구만아주국스으거원요중여선유성안세모화조우공니신물오비' +
    '말면와학경방트식발분소관개된용간적문생실연단까때계마년당위회무행력산내등통각미것재데양업현초명차반타호입강저색종출음료불습법번치두새버려러' +
    '없었않못될할함합본결외설표파터드레르크프키토환변처읽쓰열닫삭추목록복제값름준완잘직접속건검송받낼력확날짜형',
);
const HAN = /\p{Script=Han}/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}\u30fc]/u;
const HALF_WIDTH_KANA = /[\uff61-\uff9f]/;
const HANGUL = /[\uac00-\ud7a3]/;
const PUNCTUATION = /[\u2018\u2019\u201c\u201d\u2026\u3001-\u3011\u30fb\uff01-\uff5e]/;
const ASCII = /^[\0-\x7f]$/;

/** Maximum number of bytes examined. For longer texts, character frequencies are sufficient. */
const MAX_SAMPLE = 256;
/** Minimum plausibility of a text: about half of it are words, and the rest consists of characters of the language. */
const MIN_PLAUSIBILITY = 0.6;

/** Segments Chinese and Japanese words; unknown words become single characters. */
const words = new Intl.Segmenter('ja', { granularity: 'word' });

function textOf(encoding: CjkEncoding, bytes: Buffer): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** Evidence of a character for an encoding, from 0 to 1. @param inWord whether it is part of a longer word */
function weightOf(character: string, encoding: CjkEncoding, inWord: boolean): number {
  if (HALF_WIDTH_KANA.test(character)) return 0;
  if (PUNCTUATION.test(character)) return 0.6;
  if (encoding === 'euc-kr') {
    if (!HANGUL.test(character)) return 0;
    return SYLLABLES.has(character) ? 1 : 0.2;
  }
  if (KANA.test(character)) return encoding === 'shift_jis' || encoding === 'euc-jp' ? 1 : 0;
  if (!HAN.test(character)) return 0;
  return inWord ? 1 : 0.3;
}

/** Plausibility of a decoded text, from 0 to 1; 0 for a single character. */
function plausibility(encoding: CjkEncoding, bytes: Buffer): number {
  const text = textOf(encoding, bytes);
  if (text === null) return 0;
  let count = 0;
  let weight = 0;
  for (const { segment } of words.segment(text)) {
    const characters = [...segment].filter((each) => !ASCII.test(each));
    count += characters.length;
    for (const each of characters) weight += weightOf(each, encoding, characters.length > 1);
  }
  return count < 2 ? 0 : weight / count;
}

/**
 * Detects the Japanese, Chinese or Korean encoding of a text, including short ones.
 * @returns null if no encoding gives a plausible text
 */
export function cjkEncodingOf(text: Buffer): CjkEncoding | null {
  const bytes = text.subarray(0, MAX_SAMPLE);
  let best: { encoding: CjkEncoding; score: number } | null = null;
  for (const encoding of ENCODINGS) {
    const score = plausibility(encoding, bytes);
    if (score >= MIN_PLAUSIBILITY && score > (best?.score ?? 0)) best = { encoding, score };
  }
  return best?.encoding ?? null;
}
