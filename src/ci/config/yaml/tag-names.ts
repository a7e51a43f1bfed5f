import { type Mark, syntaxError } from './yaml-error.ts';

export const STANDARD = 'tag:yaml.org,2002:';

/** Resolves tags in a document with its `%TAG` directives. */
export class TagNames {
  private readonly handles = new Map([
    ['', ''],
    ['!', '!'],
    ['!!', STANDARD],
  ]);
  private version = false;

  /** @param directive directive without its `%`. @throws YamlError */
  declare(directive: string): void {
    const [name, first = '', second = ''] = directive.split(/[ \t]+/);
    if (name === 'TAG') this.handles.set(first, second);
    else if (this.version) throw syntaxError('found duplicate %YAML directive', null, null);
    else if (!/^1\.\d+$/.test(first)) throw syntaxError('found incompatible YAML document', null, null);
    else this.version = true;
  }

  /** @param start start of the node. @throws YamlError */
  nameOf(tag: string, start: Mark): string {
    const handle = /^!(?:[\w-]*!)?/.exec(tag)?.[0] ?? '';
    const prefix = this.handles.get(handle);
    if (prefix === undefined) throw syntaxError('found undefined tag handle', 'while parsing a node', start);
    return prefix + tag.slice(handle.length);
  }

  /** The Ruby class requested by a tag, which is never allowed; null for other tags. */
  static classOf(name: string): string | null {
    const ruby = /^(?:!|tag:ruby\.yaml\.org,2002:)ruby\/[\w-]+(?::(.*))?$/.exec(name);
    return ruby === null ? null : (ruby[1] ?? 'Object');
  }
}
