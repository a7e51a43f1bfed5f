import {
  type GraphQLArgument,
  type GraphQLField,
  GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isRequiredArgument,
} from 'graphql';
import type { Random } from '../../crash/random.ts';

/** A question as it is sent. */
export interface Question {
  query: string;
  variables?: unknown;
  operationName?: string;
}

const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** Makes hostile questions to a schema, the same ones for the same random numbers. */
export class Questions {
  readonly #schema: GraphQLSchema;
  readonly #random: Random;
  readonly #paths: readonly string[];

  /** @param paths of groups and projects that there are */
  constructor(schema: GraphQLSchema, random: Random, paths: readonly string[]) {
    this.#schema = schema;
    this.#random = random;
    this.#paths = paths;
  }

  next(): Question {
    return this.#random.pick([
      () => this.#nested(),
      () => this.#walk(),
      () => this.#walk(),
      () => this.#aliases(),
      () => this.#fragments(),
      () => this.#directives(),
      () => this.#introspection(),
      () => this.#literals(),
      () => this.#overlapping(),
      () => this.#variables(),
      () => this.#damaged(),
    ])();
  }

  get #path(): string {
    return JSON.stringify(this.#random.pick(this.#paths));
  }

  /** Lists in lists, about as deep as is allowed or much deeper. */
  #nested(): Question {
    const random = this.#random;
    const levels = 1 + random.below(random.pick([5, 6, 40]));
    let inner = many(
      1 + random.below(20),
      (at) => `a${at}: ${random.pick(['id', 'name', 'description', '__typename'])}`,
    );
    for (let level = 0; level < levels; level += 1) {
      const page = random.pick(['', '(first: 100)', '(first: 3)', '(last: 50)', '(first: 2147483647)']);
      if (inner.length > 40_000) break;
      inner = random.pick([
        `group { projects${page} { nodes { ${inner} } } }`,
        `group { projects${page} { edges { node { ${inner} } } } }`,
        `issues${page} { count } mergeRequests${page} { nodes { project { ${inner} } targetProject { ${inner} } } }`,
      ]);
    }
    return { query: `{ project(fullPath: ${this.#path}) { ${inner} } }` };
  }

  /** Any fields of the schema, as many as the complexity may just allow. */
  #walk(): Question {
    let left = 20 + this.#random.below(120);
    const take = (type: GraphQLObjectType, depth: number): string => {
      const fields = Object.values(type.getFields());
      const chosen: string[] = ['__typename'];
      const count = 1 + this.#random.below(8);
      for (let at = 0; at < count && left > 0; at += 1) {
        const field = this.#random.pick(fields);
        const inner = getNamedType(field.type);
        if (!isLeafType(inner) && depth === 0) continue;
        left -= 1;
        const below = inner instanceof GraphQLObjectType ? ` { ${take(inner, depth - 1)} }` : '';
        chosen.push(`f${left}: ${field.name}${this.#arguments(field)}${below}`);
      }
      return chosen.join(' ');
    };
    return { query: `{ ${take(this.#schema.getQueryType()!, 3 + this.#random.below(17))} }` };
  }

  #arguments(field: GraphQLField<unknown, unknown>): string {
    const chosen = field.args.filter((each) => isRequiredArgument(each) || this.#random.below(4) === 0);
    return chosen.length === 0 ? '' : `(${chosen.map((each) => `${each.name}: ${this.#literal(each)}`).join(', ')})`;
  }

  #literal({ name, type }: GraphQLArgument): string {
    const random = this.#random;
    if (name === 'fullPath') return this.#path;
    const kind = String(type).replaceAll(/[![\]]/g, '');
    if (kind === 'Int') return String(random.pick([0, 1, 5, 100, 2_147_483_647, -1]));
    if (kind === 'Boolean') return random.pick(['true', 'false']);
    if (!['String', 'ID'].includes(kind)) return random.pick(['opened', 'all', 'null', 'DIRECT']);
    const text = JSON.stringify(
      random.pick(['', '1', 'root', '*', 'CREATED_ASC', '\u0000', 'x'.repeat(5_000), '../..', '%']),
    );
    return String(type).startsWith('[') ? `[${many(random.pick([0, 1, 5, 200]), () => text)}]` : text;
  }

  #aliases(): Question {
    const count = 1 + this.#random.below(500);
    const field = this.#random.pick([
      `project(fullPath: ${this.#path}) { description }`,
      `group(fullPath: ${this.#path}) { projects { count } }`,
      'projects { nodes { description } }',
      'users(usernames: ["root", "nobody"]) { nodes { id } }',
      'currentUser { id }',
      'echo(text: "x")',
    ]);
    const length = this.#random.pick([1, 1, 150, 3_000]);
    return {
      query: `{ ${many(Math.min(count, Math.floor(90_000 / length)), (at) => `${'a'.repeat(length)}${at}: ${field}`)} }`,
    };
  }

  /** Fragments that spread others once or several times, in circles, or not at all. */
  #fragments(): Question {
    const random = this.#random;
    const count = 2 + random.below(60);
    const times = 1 + random.below(4);
    const isRound = random.below(3) === 0;
    const body = (at: number): string => {
      const next = isRound ? (at + 1) % count : at + 1;
      const spread = next < count ? many(times, () => `...f${next}`) : 'id';
      return random.pick([spread, `id ${spread}`, `group { projects { nodes { ${spread} } } }`]);
    };
    const defined = many(count, (at) => `fragment f${at} on Project { ${body(at)} }`);
    return { query: `{ project(fullPath: ${this.#path}) { ...f${random.below(count)} } } ${defined}` };
  }

  #directives(): Question {
    const random = this.#random;
    const directive = random.pick([
      '@include(if: true)',
      '@skip(if: true)',
      '@include(if: $v)',
      '@unknown',
      '@deprecated',
    ]);
    const each = many(random.pick([1, 1, 50]), () => directive);
    const fields = many(1 + random.below(400), (at) => `a${at}: __typename ${each}`);
    return {
      query: `query($v: Boolean = true) { ${fields} b: __typename @include(if: $v) }`,
      variables: { v: random.below(2) === 0 },
    };
  }

  #introspection(): Question {
    const random = this.#random;
    const leaf = many(1 + random.below(200), (at) => `a${at}: name`);
    const inner = random.pick([
      `types { fields(includeDeprecated: true) { args { ${leaf} } } }`,
      `types { fields { type { fields { ${leaf} } } } }`,
      `types { fields { args { type { enumValues { ${leaf} } } } } }`,
      `types { fields { type { ofType { ofType { enumValues { ${leaf} } } } } } }`,
      `types { possibleTypes { interfaces { ${leaf} } } }`,
      `types { ${leaf} } directives { args { ${leaf} } }`,
    ]);
    return { query: `{ ${many(1 + random.below(6), (at) => `s${at}: __schema { ${inner} }`)} }` };
  }

  #literals(): Question {
    const random = this.#random;
    const depth = 1 + random.below(random.pick([20, 1_400, 3_000]));
    const nested = random.pick([
      `${'['.repeat(depth)}${']'.repeat(random.pick([depth, 0]))}`,
      `${'{a: '.repeat(depth)}1${'}'.repeat(depth)}`,
      JSON.stringify('\n"'.repeat(depth)),
      `"""${'x\n'.repeat(depth)}"""`,
      '9'.repeat(depth),
    ]);
    const type = `${'['.repeat(depth)}Int${']'.repeat(depth)}`;
    return {
      query: random.pick([
        `{ echo(text: ${nested}) }`,
        `query($a: ${type} = ${nested}) { echo(text: $a) }`,
        `{ ${'... { '.repeat(depth)} __typename ${'}'.repeat(depth)} }`,
      ]),
    };
  }

  #overlapping(): Question {
    const random = this.#random;
    const width = 1 + random.below(6);
    const depth = 1 + random.below(6);
    const field = random.pick([`project(fullPath: ${this.#path})`, `a: project(fullPath: ${this.#path})`]);
    const inner = (left: number): string =>
      left === 0 ? many(width, () => 'id') : many(width, () => `group { projects { nodes { ${inner(left - 1)} } } }`);
    const flat = many(
      random.below(500),
      (at) => `x: ${random.pick(['id', 'name', `reference(full: ${at % 2 === 0})`])}`,
    );
    const query = `{ ${field} { ${random.pick([inner(Math.min(depth, 4)), flat, `${flat} ${inner(1)}`])} id } }`;
    return { query: query.slice(0, 99_000) };
  }

  #variables(): Question {
    const random = this.#random;
    const count = random.pick([1, 49, 90, 101, 4_000, 20_000]);
    const list = Array.from({ length: count }, (_, at) => random.pick([String(at), at, null, [at], 'x'.repeat(20)]));
    let deep: unknown = 'x';
    for (let at = random.below(90); at > 0; at -= 1) deep = random.pick([[deep], { a: deep }]);
    const variables = random.pick<unknown>([
      { a: list, t: 'x' },
      { a: deep, t: deep },
      { a: [], t: 'x'.repeat(count * 10), b: list },
      JSON.stringify({ a: list }),
      '[',
      `${'['.repeat(90_000)}`,
    ]);
    return {
      query:
        'query($a: [ID!], $t: String = "") { projects(ids: $a) { nodes { id description } } echo(text: $t) users(usernames: $a) { count } }',
      variables,
    };
  }

  /** A good question with characters changed, left out and doubled. */
  #damaged(): Question {
    const random = this.#random;
    const { query } = this.#walk();
    const text = [...query];
    for (let at = random.below(20); at > 0; at -= 1) {
      const place = random.below(text.length);
      text.splice(
        place,
        random.below(3),
        random.pick(['{', '}', '(', ')', '"', '...', '@', '$', '\u0000', '\ud83d\ude00', '"""', '#', '!']),
      );
    }
    return { query: text.join(''), operationName: random.pick(['', 'x', 'Query']) };
  }
}
