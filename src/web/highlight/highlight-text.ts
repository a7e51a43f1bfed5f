import { languageDetector } from '../../core/language-detection.ts';
import { grammarOf, type Language, newHighlighter } from './grammars.ts';
import { linesOf, PartCollector, TooLong } from './line-writer.ts';
import { withUnixLineEnds } from './plain-lines.ts';

/** Maximum length of the HTML. */
const MAX_HTML = 8 * 1024 * 1024;

const highlighter = newHighlighter();
highlighter.configure({ __emitter: PartCollector });

/**
 * HTML of a text in this thread, in lines. Takes as long as it takes.
 * @returns null for a text without a grammar, one that its grammar cannot read, or one that becomes too long
 */
export async function highlightText(text: string, language: Language): Promise<string | null> {
  const unix = withUnixLineEnds(text);
  const grammar = grammarOf(highlighter, await languageDetector(), language, unix);
  if (grammar === null) return null;
  const { _emitter: emitter, errorRaised } = highlighter.highlight(unix, { language: grammar, ignoreIllegals: true });
  if (errorRaised !== undefined) return null;
  try {
    return linesOf((emitter as PartCollector).parts, MAX_HTML);
  } catch (error) {
    if (error instanceof TooLong) return null;
    throw error;
  }
}
