import { CollectionComposer } from './compose-collections.ts';
import { plainValue } from './plain-values.ts';
import { type RawTree, Reference } from './reference.ts';
import { textSize, YAML_LIMITS, type YamlLimits } from './sizes.ts';
import { STANDARD, TagNames } from './tag-names.ts';
import { type Mark, syntaxError, tooBig, YamlError } from './yaml-error.ts';

/** Maximum depth of parsing: far beyond what is allowed, far below what would exhaust the stack. */
const DEEPEST = 1000;

interface Anchored {
  value: RawTree;
  size: number;
  height: number;
  open: boolean;
}

/**
 * @param meaning converts plain scalars
 * @returns the data of each document; none for an empty text
 * @throws YamlError
 */
export function readDocuments(
  text: string,
  maxDocuments: number,
  { meaning = plainValue, limits = YAML_LIMITS }: { meaning?: Meaning; limits?: YamlLimits } = {},
): RawTree[] {
  return new Composer(text, meaning, limits).documents(maxDocuments);
}

type Meaning = (text: string) => string | number | boolean | null;

/** Composes data from the tokens of a text. Aliases share their nodes: a text of n bytes makes at most n nodes. */
class Composer extends CollectionComposer {
  private readonly meaning: Meaning;
  private anchors = new Map<string, Anchored>();
  private tags = new TagNames();
  private readonly limits: YamlLimits;
  private endless = false;
  private problem: YamlError | null = null;

  constructor(text: string, meaning: Meaning, limits: YamlLimits) {
    super(text);
    this.limits = limits;
    this.meaning = meaning;
  }

  documents(maxDocuments: number): RawTree[] {
    const roots: RawTree[] = [];
    for (let first = true; ; first = false) {
      const root = this.document(first);
      if (root === undefined) break;
      // The syntax of further documents is still checked.
      if (roots.length < maxDocuments) roots.push(root);
    }
    if (this.problem !== null) throw this.problem;
    return roots;
  }

  /** Records an error that only counts if there is no syntax error until the end. */
  private later(problem: YamlError): void {
    this.problem ??= problem;
  }

  private document(first: boolean): RawTree | undefined {
    const { scanner } = this;
    this.anchors = new Map();
    this.tags = new TagNames();
    if (!first) while (scanner.peek().type === 'document-end') scanner.skip();
    if (scanner.peek().type === 'stream-end') return undefined;
    const implicit = first && scanner.peek().type !== 'directive' && scanner.peek().type !== 'document-start';
    if (!implicit) {
      for (; scanner.peek().type === 'directive'; scanner.skip()) this.tags.declare(scanner.peek().value);
      if (scanner.peek().type !== 'document-start')
        throw syntaxError('did not find expected <document start>', null, null);
      scanner.skip();
    }
    this.nothing();
    this.endless = false;
    const ends = ['directive', 'document-start', 'document-end', 'stream-end'];
    const root = !implicit && ends.includes(scanner.peek().type) ? null : this.node(true, false, 1);
    if (scanner.peek().type === 'document-end') scanner.skip();
    const { parsedBytes, depth } = this.limits;
    if (this.endless || this.size > parsedBytes || this.height > depth) this.later(tooBig());
    return root;
  }

  protected override node(block: boolean, indentless: boolean, depth: number): RawTree {
    const { scanner } = this;
    if (depth > DEEPEST) throw tooBig();
    let token = scanner.peek();
    const start = token.start;
    if (token.type === 'alias') {
      scanner.skip();
      this.isPlain = false;
      return this.alias(token.value);
    }
    let anchor: string | null = null;
    let tag: string | null = null;
    for (; token.type === 'anchor' || token.type === 'tag'; token = scanner.peek()) {
      if (token.type === 'anchor' ? anchor !== null : tag !== null) break;
      if (token.type === 'anchor') anchor = token.value;
      else tag = this.tag(token.value, start);
      scanner.skip();
    }
    const entry: Anchored | null = anchor === null ? null : { value: null, size: 0, height: 0, open: true };
    if (entry !== null && token.type !== 'scalar') this.anchors.set(anchor!, entry);
    const about = { block, indentless, depth, start, tag, named: anchor !== null || tag !== null };
    const value = this.content(token.type, about);
    this.isPlain = token.type === 'scalar' && token.plain && tag === null;
    if (entry !== null) {
      Object.assign(entry, { value, size: this.size, height: this.height, open: false });
      this.anchors.set(anchor!, entry);
    }
    return value;
  }

  private content(
    type: string,
    about: { block: boolean; indentless: boolean; depth: number; start: Mark; tag: string | null; named: boolean },
  ): RawTree {
    const { block, depth, tag } = about;
    const reference = tag === '!reference';
    if (type === 'scalar') {
      const { value, plain } = this.scanner.peek();
      this.scanner.skip();
      const data = !plain || tag === '!' || tag === `${STANDARD}str` ? value : this.plain(value);
      this.size = typeof data === 'string' ? textSize(data) : 0;
      this.height = 0;
      return reference ? new Reference(null) : data;
    }
    let data: RawTree;
    if (type === 'entry' && about.indentless) data = this.blockSequence(true, about.start, depth);
    else if (type === 'sequence-start' && block) data = this.blockSequence(false, this.scanner.peek().start, depth);
    else if (type === 'mapping-start' && block) data = this.blockMapping(depth);
    else if (type === 'flow-sequence-start') data = this.flowSequence(depth);
    else if (type === 'flow-mapping-start') data = this.flowMapping(depth);
    else if (about.named) {
      this.nothing();
      data = tag === `${STANDARD}str` ? '' : null;
    } else {
      const context = `while parsing a ${block ? 'block' : 'flow'} node`;
      throw syntaxError('did not find expected node content', context, about.start);
    }
    return reference ? new Reference(Array.isArray(data) ? data : null) : data;
  }

  private plain(text: string): RawTree {
    try {
      return this.meaning(text);
    } catch (error) {
      if (!(error instanceof YamlError)) throw error;
      this.later(error);
      return text;
    }
  }

  private tag(written: string, start: Mark): string {
    const name = this.tags.nameOf(written, start);
    const klass = TagNames.classOf(name);
    if (klass !== null) this.later(new YamlError(`Tried to load unspecified class: ${klass}`));
    return name;
  }

  private alias(name: string): RawTree {
    const anchor = this.anchors.get(name);
    if (anchor === undefined) {
      this.later(new YamlError(`An alias referenced an unknown anchor: ${name}`));
      return this.nothing();
    }
    this.endless ||= anchor.open;
    ({ size: this.size, height: this.height } = anchor);
    return anchor.value;
  }
}
